"""The broadcaster's place in the feed: what is new for all, and what one who was away has missed.

The rule that makes the two meet without a gap or a repeat: a cursor is compared with what went
out only after a pull that found nothing more. Every cursor that a screen may hold by then was
committed earlier, so it is either among the recent ones, or older.
"""

from collections.abc import Mapping, Sequence

from webapp.web.socket.recent import Recent
from webapp.web.socket.source import FeedSource
from webapp.web.socket.wire import text_frame

MOST_PULLED = 200
"""Changes in one look at what is new."""
MOST_MISSED = 50
"""Changes in one piece of a gap: what a screen far behind may delay the others by."""

Frames = Mapping[str, bytes]
"""Role -> wire frames, ready to send."""


class Feed:
    """Raises whatever the source raises, and has not moved then."""

    def __init__(self, source: FeedSource) -> None:
        self._source = source
        self._recent: Recent | None = None
        self.position = ""
        """Everything up to here has gone out to the screens that are live."""

    def rest(self) -> None:
        """Nobody watches: the next `pull` begins at the latest change."""
        self._recent = None

    def pull(self) -> tuple[Frames, bool]:
        """What is new since the last pull, and whether that was all of it."""
        if self._recent is None:
            self.position = self._source.latest()
            self._recent = Recent(self.position)
            return {}, True
        changes = self._source.since(self.position, MOST_PULLED)
        framed = [(change.cursor, wire(change.frames)) for change in changes]
        for cursor, frames in framed:
            self._advance(cursor, frames)
        return joined([frames for _, frames in framed]), len(changes) < MOST_PULLED

    def push(self, cursor: str, frames: Frames) -> bool:
        """Takes a change as the next one. False: it is known, or nobody watches."""
        if self._recent is None or cursor in self._recent:
            return False
        self._advance(cursor, frames)
        return True

    def remembers(self, cursor: str) -> bool:
        """Whether what follows the cursor can be served from memory, up to the position."""
        return self._recent is not None and cursor in self._recent

    def recall(self, cursor: str) -> tuple[Frames, str]:
        """The next piece after a cursor that is remembered, and the cursor it ends at."""
        assert self._recent is not None  # noqa: S101 - or nothing would be remembered
        changes = self._recent.after(cursor, MOST_MISSED)
        return joined([frames for _, frames in changes]), changes[-1][0] if changes else cursor

    def look_up(self, cursor: str) -> tuple[Frames, str | None]:
        """The same for one that is not. None: there was nothing more, so it is at the position."""
        changes = self._source.since(cursor, MOST_MISSED)
        if not changes:
            return {}, None
        return joined([wire(change.frames) for change in changes]), changes[-1].cursor

    def _advance(self, cursor: str, frames: Frames) -> None:
        assert self._recent is not None  # noqa: S101 - both callers have looked
        self._recent.append(cursor, frames)
        self.position = cursor


def joined(changes: Sequence[Frames]) -> Frames:
    """The frames of several changes in one piece a role, so that a screen costs one write."""
    pieces: dict[str, list[bytes]] = {}
    for frames in changes:
        for role, frame in frames.items():
            pieces.setdefault(role, []).append(frame)
    return {role: b"".join(frames) for role, frames in pieces.items()}


def wire(frames: Mapping[str, str]) -> Frames:
    """Frames ready to send; a text that two roles share is encoded once."""
    encoded = {text: text_frame(text) for text in frames.values()}
    return {role: encoded[text] for role, text in frames.items()}
