"""Cancelling: the bodies of the contract, each said by the row and not by the clock."""

from typing import Any

from webapp.services.cancel import (
    AlreadyCancelled,
    Cancelled,
    CancelTooLate,
    NextStep,
    Outcome,
    cancel,
)
from webapp.services.desk import Desk
from webapp.web.api.blueprint import api
from webapp.web.api.bodies import Reasoned
from webapp.web.api.body import idempotency_key, read_body
from webapp.web.current import caller, desk
from webapp.web.routes import API
from webapp.web.shape import receipt_json, shown


@api.post("/actions/<action_id>/cancellation")
def cancel_action(action_id: str) -> tuple[dict[str, Any], int]:
    """200 cancelled or already_cancelled; 409 too_late, with the way back."""
    key, body = idempotency_key(), read_body(Reasoned)
    outcome = cancel(desk(), action_id, caller(), reason=body.reason, key=key, seen=body.version)
    return outcome_json(outcome, desk())


def outcome_json(outcome: Outcome, on: Desk) -> tuple[dict[str, Any], int]:
    """The body and the status of a cancel's outcome."""
    action = shown(on, outcome.action)
    match outcome:
        case Cancelled():
            return {
                "result": "cancelled",
                "action": action,
                "receipt": receipt_json(outcome.receipt),
                "also_cancelled": outcome.also_cancelled,
            }, 200
        case AlreadyCancelled():
            return {"result": "already_cancelled", "action": action}, 200
        case CancelTooLate():
            url = f"{on.settings.base_url}{API}/actions/{outcome.action.id}/compensation"
            return {
                "result": "too_late",
                "state": outcome.state.value,
                "action": action,
                "receipt": receipt_json(outcome.receipt),
                "next_steps": [_step(step, url) for step in outcome.next_steps],
                "cancel_recorded": outcome.cancel_recorded,
            }, 409


def _step(step: NextStep, url: str) -> dict[str, Any]:
    return {"name": step.name, "label": step.label, "url": url, "available": step.available}
