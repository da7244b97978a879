"""Approving and rejecting what waits."""

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, NotAwaiting
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.asking import Verb, ask
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.engine import AnyRow, Tx

_APPROVE = Verb("approved", State.AWAITING_APPROVAL, NotAwaiting)
_REJECT = Verb("rejected", State.AWAITING_APPROVAL, NotAwaiting)


def approve(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> Action:
    """awaiting_approval -> scheduled: a short window starts now, so that it can be undone.

    Raises NotFound, Changed, NotAwaiting, Unavailable.
    """

    def move(tx: Tx, asker: Asker, found: Action) -> AnyRow | None:
        policy = desk.read_table(tx).row(found.kind)
        return transitions.approve(tx, action_id, asker, policy.approved_window_seconds * SECOND)

    return ask(desk, action_id, caller, _APPROVE, move, reason=reason, seen=seen)


def reject(
    desk: Desk, action_id: str, caller: Caller, *, reason: str | None, seen: int | None = None
) -> Action:
    """awaiting_approval -> rejected. Raises Invalid without a reason, and as `approve`."""
    if not reason or not reason.strip():
        raise Invalid.field("/reason", "is required: say why, for the agent and for later")

    def move(tx: Tx, asker: Asker, _: Action) -> AnyRow | None:
        return transitions.reject(tx, action_id, asker)

    return ask(desk, action_id, caller, _REJECT, move, reason=reason, seen=seen)
