"""Calls to other systems over HTTP, with an optional call that undoes them."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from webapp.domain.kinds.base import Done, Example, Joining, Kind, Payload, WayBack
from webapp.domain.text import Line, Strict


def _absolute(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an absolute http or https URL is needed")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a URL with a user name or password is refused")
    if parts.fragment or any(c <= " " or c == "\x7f" or c == "\\" for c in url):
        raise ValueError("the URL has characters that do not belong there")
    _ = parts.port
    return url


Url = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(_absolute)]


class Undo(Strict):
    url: Url
    body: JsonValue = None


class Webhook(Strict):
    url: Url
    method: Literal["POST", "PUT", "PATCH", "DELETE"] = "POST"
    headers: Annotated[dict[Line, Line], Field(max_length=50, default_factory=dict)]
    body: JsonValue = None
    undo: Undo | None = None


class UndoCall(Strict):
    url: Url
    method: Literal["POST"] = "POST"
    headers: Annotated[dict[Line, Line], Field(max_length=50, default_factory=dict)]
    body: JsonValue = None
    undoes: Line


def _undo(done: Done, _: str) -> dict[str, Any]:
    undo = done.payload["undo"]
    return {
        "url": undo["url"],
        "method": "POST",
        "headers": done.payload.get("headers", {}),
        "body": undo.get("body"),
        "undoes": done.key,
    }


def _undoable(payload: Payload) -> bool:
    return bool(payload.get("undo"))


def _no_undo(payload: Payload) -> str | None:
    return None if _undoable(payload) else "a webhook without undo cannot be taken back"


def _host(payload: Payload) -> str:
    return f"{payload['method']} {urlsplit(payload['url']).netloc}"


def _call(payload: Payload) -> dict[str, Any]:
    """All but the body: one call has one way back, so `undo` must be the same too."""
    return {name: value for name, value in payload.items() if name != "body"}


def _bodies(before: Payload, after: Payload, count: int) -> dict[str, Any]:
    """A list of what each draft sent. `count` tells it from one draft whose body was a list."""
    so_far = before["body"] if count > 1 else [before.get("body")]
    return {**before, "body": [*so_far, after.get("body")]}


WEBHOOK = Kind(
    name="webhook",
    label="Webhook",
    payload=Webhook,
    target=_host,
    customer_line="Your request",
    no_undo=_no_undo,
    examples=(
        Example({"undo": {"url": "https://example.com/undo"}}, "with an undo"),
        Example({}, "without an undo"),
    ),
    joining=Joining(recipient=_call, join=_bodies),
    way_back=WayBack(
        name="undo",
        kind="webhook.undo",
        label="Call the undo",
        explain="The other system is asked to undo it, under the address that came with the call.",
        build=_undo,
        available=_undoable,
    ),
)

UNDO = Kind(
    name="webhook.undo",
    label="Webhook undo",
    payload=UndoCall,
    target=_host,
    customer_line="The correction of your request",
    repairs="webhook",
)
