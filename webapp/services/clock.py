"""The verbs that move an action's time: hold, release, extend, run now."""

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, LimitReached, NotHeld, NotScheduled, TooLate
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import open_hours
from webapp.services.asking import Verb, ask
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.engine import AnyRow, Tx

EXTENSION_AT_MOST = 3_600
"""Seconds that one extension may ask for."""

_HOLD = Verb("held", State.SCHEDULED, TooLate, NotScheduled)
_RELEASE = Verb("released", State.HELD, NotHeld)
_EXTEND = Verb("extended", State.SCHEDULED, TooLate, NotScheduled)
_RUN_NOW = Verb("run now", State.SCHEDULED, TooLate, NotScheduled)


def hold(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """scheduled -> held: the clock stops. Raises NotFound, Changed, TooLate, Unavailable."""

    def move(tx: Tx, asker: Asker, found: Action) -> AnyRow | None:
        return transitions.hold(tx, action_id, asker, reservation(desk, tx, found))

    return ask(desk, action_id, caller, _HOLD, move, reason=reason, seen=seen)


def release(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """held -> scheduled, with the time that was left. Raises NotFound, Changed, NotHeld."""

    def move(tx: Tx, asker: Asker, found: Action) -> AnyRow | None:
        return transitions.release(tx, action_id, asker, open_hours.left(tx, found, desk.now()))

    return ask(desk, action_id, caller, _RELEASE, move, reason=reason, seen=seen)


def extend(
    desk: Desk, action_id: str, caller: Caller, *, seconds: int, seen: int | None = None
) -> Action:
    """Later by `seconds` (1 to 3600), while scheduled.

    Raises Invalid, NotFound, Changed, TooLate, LimitReached (in all the larger of ten windows and
    one hour).
    """
    if not 1 <= seconds <= EXTENSION_AT_MOST:
        raise Invalid.field("/seconds", f"must be between 1 and {EXTENSION_AT_MOST}")

    def move(tx: Tx, asker: Asker, found: Action) -> AnyRow | None:
        reserve, span = reservation(desk, tx, found), seconds * SECOND
        later = open_hours.later(found, span)
        return transitions.extend(tx, action_id, asker, span, reserve, later)

    return ask(desk, action_id, caller, _EXTEND, move, seen=seen, stuck=_at_the_limit)


def extension_left(found: Action) -> int:
    """Whole seconds by which it can still be extended."""
    most = max(found.window * transitions.EXTENSIONS, transitions.EXTENSIONS_AT_LEAST)
    return max(0, most - found.extended) // SECOND


def run_now(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """Due at once, while scheduled; passes neither pause nor dependencies. Raises as `hold`."""

    def move(tx: Tx, asker: Asker, _: Action) -> AnyRow | None:
        return transitions.run_now(tx, action_id, asker)

    return ask(desk, action_id, caller, _RUN_NOW, move, reason=reason, seen=seen)


def reservation(desk: Desk, tx: Tx, found: Action) -> int:
    """For how long a hold renews what is reserved, in microseconds."""
    return desk.read_table(tx).row(found.kind).reservation_seconds * SECOND


def _at_the_limit(found: Action) -> None:
    raise LimitReached(
        f"It was extended by {found.extended // SECOND} s before; in all the larger of ten "
        "windows and one hour is allowed."
    )
