"""Where the feed's changes come from: pulled by cursor, so that nothing depends on a wake-up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Change:
    """One event as every role gets to see it."""

    cursor: str
    """Opaque; who has it has everything up to and including this change."""
    action_id: str
    frames: Mapping[str, str]
    """Role -> JSON text, built once. A role that is missing gets nothing."""


class StaleCursor(Exception):
    """The cursor is not understood, or lies too far back: the list has to be fetched again."""


class FeedSource(Protocol):
    """The feed, in commit order: what one call has shown, no later call may hide.

    Both are called by the broadcaster's thread alone, and may raise anything when the database
    is away: that is logged and tried again. A row that can't be rendered must not raise, or the
    feed stands still in front of it.
    """

    def latest(self) -> str:
        """The cursor of now: `since` it gives what is committed afterwards."""
        ...

    def since(self, cursor: str, limit: int) -> Sequence[Change]:
        """At most `limit` changes after `cursor`, oldest first. Raises StaleCursor."""
        ...
