"""The last changes as they went out, so that who comes back soon is served from memory."""

from collections import deque
from collections.abc import Mapping

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

    def after(self, cursor: str, role: str) -> bytes:
        """All frames of `role` after a cursor that is known, oldest first."""
        found: list[bytes] = []
        for at, frames in reversed(self._changes):
            if at == cursor:
                break
            if role in frames:
                found.append(frames[role])
        return b"".join(reversed(found))
