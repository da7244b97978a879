"""Actions, receipts and events as the API shows them: the contract's keys, in its order."""

from collections.abc import Iterable, Sequence
from typing import Any

from webapp.domain.action import Action, Receipt
from webapp.domain.ids import idempotency_key
from webapp.domain.times import MILLISECOND, SECOND, maybe_rfc3339, to_rfc3339
from webapp.services import read, status
from webapp.services.desk import Desk
from webapp.store.events import Event
from webapp.store.pauses import Pause


def action_json(
    action: Action, *, status_url: str, cancel_also_stops: Iterable[str]
) -> dict[str, Any]:
    """An action, everywhere the same."""
    return {
        "id": action.id,
        "kind": action.kind,
        "state": action.state.value,
        "summary": action.summary,
        "reason": action.reason,
        "payload": action.payload,
        "amount": _amount(action),
        "customer": action.customer,
        "order": action.order_ref,
        "agent": action.agent,
        "drafted_at": to_rfc3339(action.drafted_at),
        "execute_at": maybe_rfc3339(action.execute_at),
        "cancel_by": maybe_rfc3339(action.cancel_by),
        "window_seconds": _plain_number(action.window, SECOND),
        "decision": action.decision,
        "version": action.version,
        "attempt": action.attempt,
        "claimed_at": maybe_rfc3339(action.claimed_at),
        "finished_at": maybe_rfc3339(action.finished_at),
        "cancelled_by": action.cancelled_by,
        "cancelled_at": maybe_rfc3339(action.cancelled_at),
        "cancel_reason": action.cancel_reason,
        "effect": action.effect,
        "error": action.error,
        "depends_on": list(action.depends_on),
        "compensates": action.compensates,
        "compensated_by": list(action.compensated_by),
        "again_of": action.again_of,
        "first_viewed_at": maybe_rfc3339(action.first_viewed_at),
        "idempotency_key": idempotency_key(action.id),
        "status_url": status_url,
        "cancel_also_stops": list(cancel_also_stops),
        "pruned_at": maybe_rfc3339(action.pruned_at),
    }


def shown(desk: Desk, action: Action) -> dict[str, Any]:
    """`action_json` with the link to its status page, and what its cancel would take along."""
    return shown_all(desk, [action])[0]


def shown_all(desk: Desk, actions: Sequence[Action]) -> list[dict[str, Any]]:
    """`shown` of several."""
    stopped = read.stopped_with(desk, actions)
    return [
        action_json(
            action,
            status_url=status.url(desk.settings, action.id, action.link),
            cancel_also_stops=(one.id for one in stopped.get(action.id, ())),
        )
        for action in actions
    ]


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """Who won; `margin_ms` to the microsecond, null where there was no time to beat."""
    return {
        "won_by": receipt.won_by,
        "cancel_received_at": to_rfc3339(receipt.cancel_received_at),
        "claimed_at": maybe_rfc3339(receipt.claimed_at),
        "execute_at": maybe_rfc3339(receipt.execute_at),
        "margin_ms": None if receipt.margin is None else _plain_number(receipt.margin, MILLISECOND),
    }


def event_json(event: Event) -> dict[str, Any]:
    """One transition; `verb` says which arrow it was where two join the same states."""
    return {
        "id": event.id,
        "action": event.action,
        "kind": event.kind,
        "verb": event.verb,
        "from": event.from_state,
        "to": event.to_state,
        "at": to_rfc3339(event.at),
        "actor": event.actor,
        "data": event.data,
    }


def pause_json(pause: Pause) -> dict[str, Any]:
    """A pause; `agent` and `kind` null: everything."""
    return {
        "id": pause.id,
        "agent": pause.agent,
        "kind": pause.kind,
        "reason": pause.reason,
        "paused_by": pause.paused_by,
        "paused_at": to_rfc3339(pause.paused_at),
    }


def _amount(action: Action) -> dict[str, Any] | None:
    if action.amount_value is None:
        return None
    return {"value": action.amount_value, "currency": action.amount_currency}


def _plain_number(microseconds: int, unit: int) -> int | float:
    """In `unit`s; an integer where it is one."""
    whole, rest = divmod(microseconds, unit)
    return microseconds / unit if rest else whole
