"""Replies to customers, and corrections in the same thread."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, StringConstraints

from webapp.domain.kinds.base import Done, Joining, Kind, Payload, WayBack
from webapp.domain.text import Address, Header, Strict

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _printable(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("control characters other than tabs and line breaks are not allowed here")
    return text


Body = Annotated[
    str, StringConstraints(min_length=1, max_length=50_000), AfterValidator(_printable)
]


class Reply(Strict):
    to: Address
    subject: Header
    body: Body
    in_reply_to: Header | None = None


class Correction(Strict):
    to: Address
    subject: Header
    body: Body
    in_reply_to: Header


def _correction(done: Done, note: str) -> dict[str, Any]:
    subject = done.payload["subject"]
    return {
        "to": done.payload["to"],
        "subject": subject if subject.lower().startswith("re:") else f"Re: {subject}"[:200],
        "body": note,
        "in_reply_to": done.provider_id,
    }


def _to(payload: Payload) -> str:
    return f"to {payload['to']}"


def _paragraphs(before: Payload, after: Payload, _: int) -> dict[str, Any]:
    """One mail: the first one's subject and thread, the texts one below the other."""
    body = before["body"].rstrip("\n") + "\n\n" + after["body"].lstrip("\n")
    return {**before, "body": body}


REPLY = Kind(
    name="reply",
    label="Reply",
    payload=Reply,
    target=_to,
    customer_line="Our answer to you",
    awaited=True,
    joining=Joining(recipient=lambda payload: payload["to"], join=_paragraphs),
    way_back=WayBack(
        name="correction",
        kind="reply.correction",
        label="Send a correction",
        explain="A sent mail cannot be called back; a correction goes out in the same thread.",
        build=_correction,
        needs_note=True,
        reverses=False,
    ),
)

CORRECTION = Kind(
    name="reply.correction",
    label="Correction",
    payload=Correction,
    target=_to,
    customer_line="A correction of our answer to you",
    repairs="reply",
)
