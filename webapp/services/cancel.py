"""Cancelling: the row decides, and whoever is too late is told the truth and the way back."""

import uuid
from dataclasses import dataclass

from webapp.domain.action import Action, Receipt
from webapp.domain.drafts import fingerprint
from webapp.domain.errors import NotCancellable
from webapp.domain.states import TOO_LATE, State
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import check_note, check_seen, require
from webapp.store import actions, consequences, events, transitions
from webapp.store.engine import Tx

RECORDED = frozenset({State.EXECUTING, State.UNKNOWN})
"""Where a cancel that lost may still win: should the attempt certainly have had no effect."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A way back; `available` only once the outcome is known."""

    name: str
    label: str
    available: bool


@dataclass(frozen=True, slots=True)
class Cancelled:
    """This call won; `also_cancelled` are the descendants that it took along."""

    action: Action
    receipt: Receipt
    also_cancelled: list[str]


@dataclass(frozen=True, slots=True)
class AlreadyCancelled:
    """Another call had won: who and when is in the action."""

    action: Action


@dataclass(frozen=True, slots=True)
class CancelTooLate:
    """The claim won."""

    action: Action
    receipt: Receipt
    next_steps: list[NextStep]
    cancel_recorded: bool
    state: State
    """The state at the time of this call; a repeat with its key says the same again."""


Outcome = Cancelled | AlreadyCancelled | CancelTooLate


def cancel(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    reason: str | None = None,
    key: str | None = None,
    seen: int | None = None,
) -> Outcome:
    """Cancel, or say who was first.

    With the same `key` again the answer is the first one. Raises Invalid (a reason too long),
    NotFound, Changed (only while it could still be cancelled), NotCancellable (rejected, failed),
    Unavailable.
    """
    check_note(reason)
    own_key = fingerprint(f"{caller.actor}\n{key or uuid.uuid4()}")

    def work(tx: Tx) -> Outcome:
        asker = caller.asker(reason, seen)
        won = transitions.cancel(tx, action_id, asker, own_key)
        if won is None:
            # Its worker may put it back to scheduled at this very moment: then it is cancelled.
            actions.lock(tx, action_id)
            won = transitions.cancel(tx, action_id, asker, own_key)
        found = require(tx, action_id, caller)
        if won is not None:
            return Cancelled(found, _cancel_receipt(found), won[1])
        return _lost(tx, found, caller, own_key, reason, seen)

    return desk.db.transact(work)


def _lost(
    tx: Tx, found: Action, caller: Caller, key: str, reason: str | None, seen: int | None
) -> Outcome:
    repeated = _answered_before(tx, found, key)
    if repeated is not None:
        return repeated
    if found.state is State.CANCELLED:
        return AlreadyCancelled(found)
    if found.state in TOO_LATE:
        return _too_late(tx, found, caller, key, reason)
    check_seen(found, seen)
    raise NotCancellable(f"The action is {found.state.words}: nothing of it is left to cancel.")


def _too_late(tx: Tx, found: Action, caller: Caller, key: str, reason: str | None) -> CancelTooLate:
    receipt = _claim_receipt(found, tx.now())
    data = {"cancel_received_at": receipt.cancel_received_at, "state": found.state.value}
    asker = caller.asker(reason)
    if transitions.record_late_cancel(tx, found.id, asker, data, key) is None:
        transitions.note_late_cancel(tx, found, asker, data, key)
    latest = require(tx, found.id, caller)
    return _told_too_late(latest, receipt, found.state)


def _told_too_late(found: Action, receipt: Receipt, state: State) -> CancelTooLate:
    return CancelTooLate(found, receipt, next_steps(found), state in RECORDED, state)


def _answered_before(tx: Tx, found: Action, key: str) -> Outcome | None:
    if found.state is State.CANCELLED and actions.cancel_key(tx, found.id) == key:
        return Cancelled(found, _cancel_receipt(found), consequences.cascaded(tx, found.id))
    told = events.with_key(tx, found.id, key)
    if told is None:
        return None
    receipt = _claim_receipt(found, told.data["cancel_received_at"])
    return _told_too_late(found, receipt, State(told.data["state"]))


def next_steps(found: Action) -> list[NextStep]:
    """The ways back from what was done; available once it is executed."""
    way_back = found.of.way_back
    if way_back is None or found.pruned or not way_back.available(found.payload):
        return []
    return [NextStep(way_back.name, way_back.label, found.state is State.EXECUTED)]


def receipt(found: Action) -> Receipt | None:
    """Who won, where a cancel and the claim were after the same action; as the page tells it."""
    return _cancel_receipt(found) if found.state is State.CANCELLED else late_receipt(found)


def late_receipt(found: Action) -> Receipt | None:
    """The receipt of the cancel that came too late first, if one did."""
    if found.late_cancel_at is None:
        return None
    return _claim_receipt(found, found.late_cancel_at)


def _cancel_receipt(found: Action) -> Receipt:
    at = found.cancelled_at or 0
    left = None if found.execute_at is None else found.execute_at - at
    return Receipt("cancel", at, found.claimed_at, found.execute_at, left)


def _claim_receipt(found: Action, received_at: int) -> Receipt:
    behind = None if found.claimed_at is None else received_at - found.claimed_at
    return Receipt("claim", received_at, found.claimed_at, found.execute_at, behind)
