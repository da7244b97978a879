"""The JSON of the frames that are the socket's own (CONTRACT.md, "Feed socket").

`row` frames come ready from the feed source.
"""

import json
from collections.abc import Iterable

RESET = '{"type":"reset"}'


def hello(now: str, cursor: str) -> str:
    """First frame: the server's time, and the cursor that what follows comes after."""
    return _json({"type": "hello", "now": now, "cursor": cursor})


def beat(now: str) -> str:
    """The line is alive; `now` keeps countdowns honest."""
    return _json({"type": "beat", "now": now})


def presence(names: Iterable[str]) -> str:
    """Who is watching, each name once, in order."""
    return _json({"type": "presence", "people": sorted(names)})


def _json(message: dict[str, object]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
