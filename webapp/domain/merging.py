"""Joining drafts into one action (`merge_key`): its scope, and what the payload becomes."""

import json
from typing import Any

from webapp.domain.drafts import canonical, fingerprint, read_payload
from webapp.domain.errors import Invalid
from webapp.domain.kinds.base import Kind, Payload
from webapp.domain.kinds.registry import DRAFTED, KINDS

WINDOWS = 3
"""Windows of one action in all, so drafts too: the next one begins a new action."""


def check_merge_key(kind: str, merge_key: str | None) -> None:
    """Raises Invalid for a kind whose drafts cannot be joined."""
    if merge_key is not None and KINDS[kind].joining is None:
        able = " and ".join(name for name in DRAFTED if KINDS[name].joining)
        raise Invalid.field("/merge_key", f"only for {able}: a {kind} cannot be joined")


def scope(kind: Kind, agent: str, customer: str, payload: Payload, merge_key: str) -> str:
    """The hash under which an action of the same scope is looked for.

    It only finds candidates: whoever joins compares the values themselves.
    """
    recipient = kind.joining and kind.joining.recipient(payload)
    return fingerprint(canonical([kind.name, agent, customer, recipient, merge_key]))


def joined(kind: Kind, before: str, after: Payload, count: int) -> dict[str, Any] | None:
    """The payload of `count` drafts (JSON as stored) with the next one's.

    None when it reaches somebody else, or what came of it would not be a valid payload.
    """
    first = json.loads(before)
    joining = kind.joining
    if joining is None or joining.recipient(first) != joining.recipient(after):
        return None
    try:
        return read_payload(kind.name, joining.join(first, after, count))
    except Invalid:
        return None
