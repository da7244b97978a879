"""Approving and rejecting what waits."""

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, NotAwaiting
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import answer, moved, require
from webapp.store import transitions
from webapp.store.engine import Tx


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
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        found = require(tx, action_id, caller)
        policy = desk.read_table(tx).row(found.kind)
        window = policy.approved_window_seconds * SECOND
        won = moved(tx, action_id, asker, lambda: transitions.approve(tx, action_id, asker, window))
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.AWAITING_APPROVAL,
            refusal=NotAwaiting,
            verb="approved",
        )

    return desk.db.transact(work)


def reject(
    desk: Desk, action_id: str, caller: Caller, *, reason: str | None, seen: int | None = None
) -> Action:
    """awaiting_approval -> rejected. Raises Invalid without a reason, and as `approve`."""
    if not reason or not reason.strip():
        raise Invalid.field("/reason", "is required: say why, for the agent and for later")
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        won = moved(tx, action_id, asker, lambda: transitions.reject(tx, action_id, asker))
        return answer(
            tx,
            action_id,
            caller,
            seen,
            won=won,
            needed=State.AWAITING_APPROVAL,
            refusal=NotAwaiting,
            verb="rejected",
        )

    return desk.db.transact(work)
