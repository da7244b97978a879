"""The last changes as they went out, so that who comes back soon is served from memory."""

from collections import deque
from collections.abc import Mapping
from itertools import takewhile

KEPT = 512
"""Changes; at about 2 KB a frame and role, 2 MB at most."""


class Recent:
    """Frames by cursor. Holds at all times the position itself, whatever else it has forgotten."""

    def __init__(self, position: str) -> None:
        self._base = position
        """The cursor just before the oldest change that is kept."""
        self._changes: deque[tuple[str, Mapping[str, bytes]]] = deque()
        self._known = {position}

    def __contains__(self, cursor: str) -> bool:
        return cursor in self._known

    def append(self, cursor: str, frames: Mapping[str, bytes]) -> None:
        """The change that follows the newest one."""
        self._changes.append((cursor, frames))
        self._known.add(cursor)
        if len(self._changes) > KEPT:
            self._known.discard(self._base)
            self._base = self._changes.popleft()[0]

    def after(self, cursor: str, most: int) -> list[tuple[str, Mapping[str, bytes]]]:
        """At most `most` changes after a cursor that is known, oldest first."""
        newest_first = takewhile(lambda change: change[0] != cursor, reversed(self._changes))
        return list(newest_first)[::-1][:most]
