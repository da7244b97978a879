"""Trying again: a new, linked action with its own key, through the policy."""

from webapp.domain.action import Action
from webapp.domain.errors import WrongState
from webapp.domain.states import RAN_OUT
from webapp.domain.times import maybe_rfc3339
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import DraftResult, insert
from webapp.services.explain import check_kept, check_note, check_seen, require
from webapp.services.new import New, follow_up


def again(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    seen: int | None = None,
) -> DraftResult:
    """Draft the same once more, from cancelled, rejected or failed.

    Raises Invalid (a reason too long), NotFound, Changed, WrongState, KindOff, OutOfStock,
    Unavailable.
    """
    check_note(reason)
    with desk.db.read() as tx:
        found = require(tx, action_id, caller)
    if found.state not in RAN_OUT:
        raise WrongState(
            f"The action is {found.state.words}: only what was cancelled, rejected or "
            "has failed can be scheduled again."
        )
    check_kept(found)
    check_seen(found, seen)
    return insert(desk, _new(found, caller, reason))


def _new(found: Action, caller: Caller, reason: str | None) -> New:
    draft = follow_up(found, found.kind, found.summary, found.reason, dict(found.payload))
    not_before = maybe_rfc3339(found.not_before_at)  # what was not to run before, still is not
    return New(
        kind=found.of,
        draft=draft.model_copy(update={"not_before": not_before}),
        agent=found.agent,
        drafted_by=caller.actor,
        compensates=found.compensates,
        again_of=found.id,
        reason=reason,
    )
