"""What the API answers with, as JSON Schema; `web/openapi.py` names them."""

from typing import Any

from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State

Schema = dict[str, Any]

ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_TIME: Schema = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
}
_ID: Schema = {"type": "string", "format": "uuid"}
_KIND: Schema = {"enum": list(KINDS)}
_STATE: Schema = {"enum": [state.value for state in State]}

_DECISION = _object(
    {
        "mode": _TEXT,
        "because": _list(_TEXT),
        "desk_hours": _TEXT,
        "timezone": _TEXT,
        "breaker": {"const": True},
        "would_have": _object(
            {"state": _STATE, "cancel_by": _maybe(_TIME), "execute_at": _maybe(_TIME)}
        ),
    },
    ("desk_hours", "timezone", "breaker", "would_have"),
)
_ACTION = _object(
    {
        "id": _ID,
        "kind": _KIND,
        "state": _STATE,
        "summary": _TEXT,
        "reason": _TEXT,
        "payload": ANY_OBJECT,
        "amount": _maybe(_object({"value": _WHOLE, "currency": _TEXT})),
        "customer": _object(
            dict.fromkeys(("ref", "name", "email", "locale", "timezone"), _TEXT),
            ("name", "email", "locale", "timezone"),
        ),
        "order": _maybe(_TEXT),
        "agent": _TEXT,
        "drafted_at": _TIME,
        "execute_at": _maybe(_TIME),
        "cancel_by": _maybe(_TIME),
        "window_seconds": _NUMBER,
        "decision": ref("Decision"),
        "version": _WHOLE,
        "attempt": _WHOLE,
        "claimed_at": _maybe(_TIME),
        "finished_at": _maybe(_TIME),
        "cancelled_by": _maybe(_TEXT),
        "cancelled_at": _maybe(_TIME),
        "cancel_reason": _maybe(_TEXT),
        "effect": _maybe(ANY_OBJECT),
        "error": _maybe(ANY_OBJECT),
        "depends_on": _list(_ID),
        "compensates": _maybe(_ID),
        "compensated_by": _list(_ID),
        "again_of": _maybe(_ID),
        "first_viewed_at": _maybe(_TIME),
        "idempotency_key": _TEXT,
        "status_url": {"type": "string", "format": "uri"},
        "cancel_also_stops": {
            **_list(_ID),
            "description": "What a cancel now would take along, nearest first.",
        },
        "pruned_at": {
            **_maybe(_TIME),
            "description": "When its payload, texts and personal data were taken away.",
        },
    }
)
_RECEIPT = _object(
    {
        "won_by": {"enum": ["cancel", "claim"]},
        "cancel_received_at": _TIME,
        "claimed_at": _maybe(_TIME),
        "execute_at": _maybe(_TIME),
        "margin_ms": _maybe(_NUMBER),
    }
)
_CANCELLED = _object(
    {
        "result": {"const": "cancelled"},
        "action": ref("Action"),
        "receipt": ref("Receipt"),
        "also_cancelled": _list(_ID),
    }
)
_ALREADY = _object({"result": {"const": "already_cancelled"}, "action": ref("Action")})
_TOO_LATE = _object(
    {
        "result": {"const": "too_late"},
        "state": _STATE,
        "action": ref("Action"),
        "receipt": ref("Receipt"),
        "next_steps": _list(
            _object(
                {
                    "name": _TEXT,
                    "label": _TEXT,
                    "url": {"type": "string", "format": "uri"},
                    "available": {"type": "boolean"},
                }
            )
        ),
        "cancel_recorded": {"type": "boolean"},
    }
)
_EVENT = _object(
    {
        "id": _WHOLE,
        "action": _ID,
        "kind": _KIND,
        "verb": _TEXT,
        "from": _maybe(_STATE),
        "to": _STATE,
        "at": _TIME,
        "actor": _TEXT,
        "data": ANY_OBJECT,
    }
)
_PAUSE = _object(
    {
        "id": _WHOLE,
        "agent": _maybe(_TEXT),
        "kind": _maybe(_KIND),
        "reason": _TEXT,
        "paused_by": _TEXT,
        "paused_at": _TIME,
    }
)
_SIGNALLED = _object({"held": _list(_ID), "too_late": _list(_ID)})
_PROBLEM = _object(
    {
        "type": {"type": "string", "format": "uri-reference"},
        "title": _TEXT,
        "status": _WHOLE,
        "detail": _TEXT,
        "code": _TEXT,
        "errors": _list(_object({"pointer": _TEXT, "detail": _TEXT})),
    },
    ("errors",),
)

ANSWERS: dict[str, Schema] = {
    "Action": _ACTION,
    "Decision": _DECISION,
    "Actions": _object({"items": _list(ref("Action")), "next": _maybe(_TEXT)}),
    "Receipt": _RECEIPT,
    "Cancelled": {"oneOf": [_CANCELLED, _ALREADY]},
    "TooLate": _TOO_LATE,
    "Event": _EVENT,
    "Events": _object({"events": _list(ref("Event")), "cursor": _TEXT}),
    "Pause": _PAUSE,
    "Pauses": _object({"items": _list(ref("Pause"))}),
    "Signalled": _SIGNALLED,
    "Problem": _PROBLEM,
}
