"""Where a page of the feed ended, as a token of the address: opaque to everybody else."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.store.feed_sources import ASKING, SOURCES, Key

_LONGEST = 1_000
_NAMES = {source.name for source in SOURCES}


def token_of(ends: Mapping[str, Key]) -> str:
    """The token that stands behind the rows up to `ends`."""
    text = json.dumps({name: list(key) for name, key in ends.items()}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(token: str) -> dict[str, Key]:
    """What `token_of` was given. Raises Invalid."""
    try:
        padded = token[:_LONGEST] + "=" * (-len(token) % 4)  # more than it needs is refused, too
        text = base64.b64decode(padded.encode(), b"-_", validate=True)
        found = json.loads(text)
    except (ValueError, binascii.Error, RecursionError):
        found = None
    place = found if isinstance(found, dict) else {}
    if not place or not all(_stands(*item) for item in place.items()):
        raise Invalid.field("/after", "not a place in this feed: load it from the beginning")
    return {name: (by, action_id) for name, (by, action_id) in place.items()}


def _stands(name: str, key: Any) -> bool:
    if name not in _NAMES or not isinstance(key, list) or len(key) != 2:
        return False
    by, action_id = key
    known = by in list(State) if name == ASKING.name else type(by) is int and 0 <= by < 2**63
    return known and isinstance(action_id, str) and len(action_id) <= 36
