"""Screens between their handshake and the live feed: hello, then what they missed, then live.

They advance in turns and in pieces, so that one who was away for long delays nobody. Those who
come with the same cursor, as after a restart, are served together by one look at the feed.
"""

from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from webapp.web.socket import messages
from webapp.web.socket.feed import Feed, Frames
from webapp.web.socket.link import Link
from webapp.web.socket.source import StaleCursor
from webapp.web.socket.wire import text_frame

MOST_SECONDS = 0.02
"""What one `step` may take, give or take a piece."""


class CatchUp:
    """The links that are not live yet, each with the last cursor it has."""

    def __init__(self, feed: Feed, now: Callable[[], str]) -> None:
        self._feed = feed
        self._now = now
        self._cursors: dict[Link, str | None] = {}

    @property
    def ready(self) -> bool:
        """Somebody waits for us, and not we for a socket."""
        return any(not link.backed_up for link in self._cursors)

    def add(self, link: Link) -> None:
        """A screen that has just connected."""
        self._cursors[link] = link.screen.after

    def readmit(self, links: Iterable[Link], cursor: str) -> None:
        """Screens that were live up to this cursor."""
        self._cursors.update(dict.fromkeys(links, cursor))

    def discard(self, link: Link) -> None:
        """A screen that went."""
        self._cursors.pop(link, None)

    def step(self, now: float) -> Iterator[Link]:
        """One piece for everybody, as far as the time goes; yields the links that were sent to.

        To be called after a `Feed.pull` that found no more. Raises what the source raises; who
        was not served then is served by a later step.
        """
        groups: dict[str | None, list[Link]] = {}
        for link, cursor in self._cursors.items():
            if not link.backed_up:
                groups.setdefault(cursor, []).append(link)
        until = monotonic() + MOST_SECONDS
        for cursor, links in groups.items():
            self._serve(cursor, links, now)
            yield from links
            if monotonic() > until:
                break

    def is_live(self, link: Link) -> bool:
        """Whether the link has everything up to the feed's position."""
        return link not in self._cursors

    def _serve(self, cursor: str | None, links: list[Link], now: float) -> None:
        """Hello where it is due, the piece after `cursor`, and who has all is live."""
        feed = self._feed
        frames: Frames = {}
        last: str | None
        if cursor is None:
            cursor = last = feed.position
        elif feed.remembers(cursor):
            frames, last = feed.recall(cursor)
        else:
            try:
                frames, last = feed.look_up(cursor)
            except StaleCursor:
                self._start_over(links, now)
                return
        hello = text_frame(messages.hello(self._now(), cursor))
        for link in links:
            if not link.greeted:
                link.greeted = True
                link.send(hello, now)
            frame = frames.get(link.screen.viewer.role)
            if frame:
                link.send(frame, now)
            # to the end of the line, or out of it
            del self._cursors[link]
            if last is not None and last != feed.position:
                self._cursors[link] = last

    def _start_over(self, links: list[Link], now: float) -> None:
        """The list must be fetched again: what follows comes after the position."""
        position = self._feed.position
        frames = text_frame(messages.hello(self._now(), position)) + text_frame(messages.RESET)
        for link in links:
            link.greeted = True
            link.send(frames, now)
            del self._cursors[link]
