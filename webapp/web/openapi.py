"""The API described from what enforces it: the route table, the models, the table of errors."""

from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

from webapp.domain.drafts import Draft
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.web.api import bodies
from webapp.web.api.query import Following, Listing
from webapp.web.api.schemas import ANSWERS, Schema, ref
from webapp.web.problems import STATUS
from webapp.web.routes import API, TABLE, Route, Who

_PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Call:
    """What a route reads and answers. `answers`: status -> schema, None for no body."""

    answers: dict[int, str | None]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    key: bool = False
    refuses: tuple[int, ...] = field(default=())
    note: str = ""
    """What the answer means, where its schema does not say it."""


def _verb(body: type[BaseModel]) -> Call:
    return Call({200: "Action"}, body, refuses=(404, 409))


_SIGNALS = (
    "With a customer, an order or both: whatever is for the one or about the other is touched, "
    "whichever agent drafted it. In the answer, held are the actions that were scheduled and that "
    "this call holds; too_late are those that are executing or of unknown outcome now, or were "
    "executed in the last 24 hours. Both are ids alone: reading another agent's action stays a "
    "404. What waits for approval gets the reason and a new version, what was held before gets it "
    "in its timeline; neither is listed."
)
CALLS: dict[tuple[str, str], Call] = {
    ("POST", "/actions"): Call(
        {201: "Action", 200: "Action"}, Draft, key=True, refuses=(404, 409, 422)
    ),
    ("GET", "/actions"): Call({200: "Actions"}, query=Listing),
    ("GET", "/actions/{id}"): Call({200: "Action"}, refuses=(404,)),
    ("POST", "/actions/{id}/cancellation"): Call(
        {200: "Cancelled", 409: "TooLate"}, bodies.Reasoned, key=True, refuses=(404, 409)
    ),
    ("POST", "/actions/{id}/approval"): _verb(bodies.Reasoned),
    ("POST", "/actions/{id}/rejection"): _verb(bodies.Rejection),
    ("POST", "/actions/{id}/hold"): _verb(bodies.Reasoned),
    ("POST", "/actions/{id}/release"): _verb(bodies.Reasoned),
    ("POST", "/actions/{id}/extension"): _verb(bodies.Extension),
    ("POST", "/actions/{id}/run-now"): _verb(bodies.Reasoned),
    ("POST", "/actions/{id}/compensation"): Call(
        {201: "Action", 200: "Action"}, bodies.Compensation, refuses=(404, 409)
    ),
    ("POST", "/actions/{id}/again"): Call({201: "Action"}, bodies.Reasoned, refuses=(404, 409)),
    ("POST", "/actions/{id}/resolution"): _verb(bodies.Resolution),
    ("GET", "/events"): Call({200: "Events"}, query=Following),
    ("GET", "/pauses"): Call({200: "Pauses"}),
    ("POST", "/pauses"): Call({201: "Pause"}, bodies.NewPause),
    ("DELETE", "/pauses/{id}"): Call({204: None}, refuses=(404,)),
    ("POST", "/signals"): Call(
        {200: "Signalled"}, bodies.Signal, key=True, refuses=(422,), note=_SIGNALS
    ),
}


def api_routes() -> list[Route]:
    """The lines of the table that this page is about."""
    return [route for route in TABLE if route.path.startswith(API)]


@cache
def document(base_url: str) -> dict[str, Any]:
    """OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in api_routes():
        call = CALLS[route.method, route.path.removeprefix(API)]
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, call)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Undo Desk",
            "version": version("undo-desk"),
            "description": "Drafted actions, their countdowns, and the way back.",
        },
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {"schemas": _schemas(), "securitySchemes": _SCHEMES},
    }


def reading() -> dict[str, Any]:
    """What the page for people shows: calls in order, and every code of a refusal."""
    codes = sorted(
        {
            (status.value, error.code, (error.__doc__ or "").splitlines()[0])
            for kind, status in STATUS.items()
            for error in (kind, *kind.__subclasses__())
        }
    )
    calls = [(route, CALLS[route.method, route.path.removeprefix(API)]) for route in api_routes()]
    return {"calls": calls, "codes": codes, "schemas": _schemas(), "who": _who}


_SCHEMES = {
    "agent": {"type": "http", "scheme": "bearer", "description": "An agent's token, ud_…"},
    "staff": {
        "type": "apiKey",
        "in": "cookie",
        "name": "ud_session",
        "description": "Signed in at /login; unsafe methods also need X-CSRFToken.",
    },
}


def _who(route: Route) -> str:
    people = [] if route.who is Who.NO_PERSON else [route.who.value]
    return " or ".join([*([f"agent ({route.scope})"] if route.scope else []), *people])


def _operation(route: Route, call: Call) -> dict[str, Any]:
    refused = {400, 401, 403, 503, *call.refuses} | ({413, 415} if call.body else set())
    operation: dict[str, Any] = {
        "summary": route.does,
        "description": f"For {_who(route)}. {call.note}".rstrip(),
        "security": [
            *([{"agent": []}] if route.scope else []),
            *([] if route.who is Who.NO_PERSON else [{"staff": []}]),
        ],
        "parameters": [*_path(route), *_query(call.query), *(_KEY if call.key else [])],
        "responses": {
            str(status): _answer(status, call.answers.get(status), refused=status in refused)
            for status in sorted(refused | call.answers.keys())
        },
    }
    if call.body is not None:
        operation["requestBody"] = {
            "required": any(one.is_required() for one in call.body.model_fields.values()),
            "content": {"application/json": {"schema": ref(call.body.__name__)}},
        }
    return operation


_KEY = [
    {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "The same key again gives the same answer.",
        "schema": {"type": "string", "pattern": r"^[\x21-\x7e]{1,255}$"},
    }
]


def _path(route: Route) -> list[Schema]:
    if "{id}" not in route.path:
        return []
    action = "/actions/" in route.path
    schema = {"type": "string", "format": "uuid"} if action else {"type": "integer", "minimum": 1}
    return [{"name": "id", "in": "path", "required": True, "schema": schema}]


def _query(model: type[BaseModel] | None) -> list[Schema]:
    if model is None:
        return []
    properties = model.model_json_schema()["properties"]
    return [
        {"name": name, "in": "query", "required": False, "schema": _given(schema)}
        for name, schema in properties.items()
    ]


def _given(schema: Schema) -> Schema:
    """A parameter is left out, never null."""
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    return {k: v for k, v in kinds[0].items() if k != "title"}


def _answer(status: int, name: str | None, *, refused: bool) -> Schema:
    content = {}
    if name is not None:
        content["application/json"] = {"schema": ref(name)}
    if refused:
        content[_PROBLEM] = {"schema": ref("Problem")}
    phrase = HTTPStatus(status).phrase
    return {"description": phrase, "content": content} if content else {"description": phrase}


@cache
def _schemas() -> dict[str, Schema]:
    found = dict(ANSWERS)
    models = {call.body for call in CALLS.values() if call.body is not None}
    for model in [*models, *(KINDS[kind].payload for kind in DRAFTED)]:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        found.update(schema.pop("$defs", {}))
        found[model.__name__] = schema
    found["Draft"]["properties"]["kind"] = {"enum": list(DRAFTED)}
    payloads = [ref(KINDS[kind].payload.__name__) for kind in DRAFTED]
    found["Draft"]["properties"]["payload"] = {"anyOf": payloads}
    return found
