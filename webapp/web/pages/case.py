"""One case as a file: all that the action's page tells, for whoever has to answer for it."""

from typing import Any

from flask import Blueprint, Response, jsonify

from webapp.domain.action import Action
from webapp.domain.times import maybe_rfc3339, to_rfc3339
from webapp.services import cancel
from webapp.services.case import Case, case
from webapp.store.merging import Part
from webapp.web.current import caller, desk
from webapp.web.shape import action_json, event_json, receipt_json

pages = Blueprint("case", __name__)
FORM = 1
"""Rises when what a program may rely on in the file changes."""


@pages.get("/actions/<action_id>/case.json")
def export(action_id: str) -> Response:
    """Times are RFC 3339 in UTC; no link in it lets anybody do anything."""
    found = case(desk(), action_id, caller())
    answer = jsonify(case_json(found, exported_by=caller().actor, exported_at=desk().now()))
    answer.headers["Content-Disposition"] = f'attachment; filename="case-{action_id}.json"'
    return answer


def case_json(found: Case, *, exported_by: str, exported_at: int) -> dict[str, Any]:
    """The action as the API shows it but for the customer's link, and all around it."""
    action, around = found.action, found.around
    shown = action_json(action, status_url="", cancel_also_stops=())
    del shown["status_url"], shown["cancel_also_stops"]
    receipt = cancel.receipt(action)
    actors = {event.actor for event in found.events} | {look.actor for look in found.looks}
    return {
        "form": FORM,
        "exported_at": to_rfc3339(exported_at),
        "exported_by": exported_by,
        "action": shown,
        "payload_sha256": action.payload_hash,
        "personal_data_removed_at": maybe_rfc3339(action.pruned_at),
        "receipt": None if receipt is None else receipt_json(receipt),
        "timeline": [event_json(event) for event in found.events],
        "people": {actor: around.name(actor) for actor in sorted(actors)},
        "drafts": [_part(part) for part in around.parts.get(action.id, ())],
        "reported_too_late": [
            {
                "attempt": late.attempt,
                "worker": late.worker,
                "outcome": late.outcome,
                "at": to_rfc3339(late.at),
                "provider_id": late.provider_id,
            }
            for late in around.late.get(action.id, ())
        ],
        "on_screen": [
            {"who": look.actor, "version": look.version, "at": to_rfc3339(look.at)}
            for look in found.looks
        ],
        "others": [
            {"id": other.id, "is": relation, "kind": other.kind, "state": other.state.value}
            for relation, other in _others(found)
        ],
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "number": part.number,
        "drafted_by": part.drafted_by,
        "drafted_at": to_rfc3339(part.drafted_at),
        "order": part.order_ref,
        "summary": part.summary,
        "reason": part.reason,
        "payload": part.payload,
    }


def _others(found: Case) -> list[tuple[str, Action]]:
    action, known = found.action, found.around.actions
    named = [
        *(("depends on", other) for other in action.depends_on),
        *(("compensated by", other) for other in action.compensated_by),
        ("compensates", action.compensates),
        ("repeats", action.again_of),
    ]
    return [(relation, known[other]) for relation, other in named if other and other in known]
