"""The verbs that move an action's time: hold, release, extend, run now."""

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, LimitReached, NotHeld, TooLate
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import answer, check_seen, moved, require
from webapp.store import transitions
from webapp.store.engine import Tx

EXTENSION_AT_MOST = 3_600
"""Seconds that one extension may ask for."""


def hold(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """scheduled -> held: the clock stops. Raises NotFound, Changed, TooLate, Unavailable."""
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        reserve = _reservation(desk, tx, action_id, caller)
        won = moved(tx, action_id, asker, lambda: transitions.hold(tx, action_id, asker, reserve))
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.SCHEDULED,
            refusal=TooLate,
            verb="held",
        )

    return desk.db.transact(work)


def release(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """held -> scheduled, with the time that was left. Raises NotFound, Changed, NotHeld."""
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        won = moved(tx, action_id, asker, lambda: transitions.release(tx, action_id, asker))
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.HELD,
            refusal=NotHeld,
            verb="released",
        )

    return desk.db.transact(work)


def extend(
    desk: Desk, action_id: str, caller: Caller, *, seconds: int, seen: int | None = None
) -> Action:
    """Later by `seconds` (1 to 3600), while scheduled.

    Raises Invalid, NotFound, Changed, TooLate, LimitReached (in all the larger of ten windows and
    one hour).
    """
    if not 1 <= seconds <= EXTENSION_AT_MOST:
        raise Invalid.field("/seconds", f"must be between 1 and {EXTENSION_AT_MOST}")
    asker = caller.asker(None, seen)

    def work(tx: Tx) -> Action:
        reserve = _reservation(desk, tx, action_id, caller)
        span = seconds * SECOND
        won = moved(
            tx, action_id, asker, lambda: transitions.extend(tx, action_id, asker, span, reserve)
        )
        if not won:
            found = require(tx, action_id, caller)
            if found.state is State.SCHEDULED:
                check_seen(found, seen)
                raise LimitReached(
                    f"It was extended by {found.extended // SECOND} s before; in all the larger "
                    "of ten windows and one hour is allowed."
                )
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.SCHEDULED,
            refusal=TooLate,
            verb="extended",
        )

    return desk.db.transact(work)


def run_now(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """Due at once, while scheduled; passes neither pause nor dependencies. Raises as `hold`."""
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        won = moved(tx, action_id, asker, lambda: transitions.run_now(tx, action_id, asker))
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.SCHEDULED,
            refusal=TooLate,
            verb="run now",
        )

    return desk.db.transact(work)


def _reservation(desk: Desk, tx: Tx, action_id: str, caller: Caller) -> int:
    kind = require(tx, action_id, caller).kind
    return desk.read_table(tx).row(kind).reservation_seconds * SECOND
