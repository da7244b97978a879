"""One thread that serves every screen of this process.

Frames are built once and sent to all without waiting; a screen that stops reading is cut, and
finds what it missed by its cursor. Nothing runs while nobody watches.
"""

import contextlib
import logging
import resource
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from time import monotonic

from webapp.web.socket import messages
from webapp.web.socket.catchup import CatchUp
from webapp.web.socket.feed import Feed, Frames, wire
from webapp.web.socket.link import Link
from webapp.web.socket.pace import Pace
from webapp.web.socket.screen import Screen
from webapp.web.socket.source import FeedSource, StaleCursor
from webapp.web.socket.wire import PING_FRAME, Close, text_frame

CAPACITY = 4_000
_FILES_KEPT = 256
"""Open files left for requests, the database and effects."""

_log = logging.getLogger(__name__)


class Broadcaster:
    """`start` it in the process that serves, after the fork.

    `now` gives the deciding clock's time as RFC 3339, without waiting and without failing.
    `sessions_ended` is asked now and then which of these session ids are over; it may fail.
    """

    def __init__(
        self,
        source: FeedSource,
        *,
        now: Callable[[], str],
        sessions_ended: Callable[[Collection[str]], Collection[str]] | None = None,
        capacity: int = CAPACITY,
        pace: Pace | None = None,
    ) -> None:
        self._feed = Feed(source)
        self._now = now
        self._sessions_ended = sessions_ended
        self._pace = pace or Pace()
        self._capacity = min(capacity, _file_limit())
        self._catchup = CatchUp(self._feed, now)
        self._links: dict[Link, None] = {}
        self._live: dict[Link, None] = {}
        self._watched: set[Link] = set()
        """Links whose socket is full: the selector says when it takes more."""
        self._closing: set[Link] = set()
        self._rounds: deque[Link] = deque()
        """Every link once, by the time of its next beat."""
        self._inbox: deque[Callable[[float], None]] = deque()
        self._rung = False
        self._pull_wanted = False
        self._failing = False
        self._pull_at = self._tick_at = self._poll_at = self._sessions_at = 0.0
        self._presence_at: float | None = None
        self._stop_by: float | None = None
        self._thread: threading.Thread | None = None

    # From any thread.

    @property
    def count(self) -> int:
        """Screens connected now."""
        return len(self._links)

    @property
    def accepting(self) -> bool:
        """Whether one more screen would be served: it runs, and is not full."""
        return self._running and len(self._links) + len(self._inbox) < self._capacity

    def start(self) -> None:
        """Starts the thread. To be called once."""
        self._selector = selectors.DefaultSelector()
        self._bell, self._clapper = socket.socketpair()
        for end in (self._bell, self._clapper):
            end.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="feed-broadcaster", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 2.0) -> bool:
        """Says goodbye to every screen and ends the thread. False: not within `timeout` seconds."""
        if self._thread is None:
            return True
        self._tell(partial(self._begin_stop, monotonic() + timeout))
        self._thread.join(timeout + 0.5)
        return not self._thread.is_alive()

    def add(self, sock: socket.socket, screen: Screen) -> None:
        """Takes over a connected socket after its handshake; closes it where it can't be served."""
        sock.setblocking(False)
        if self._running:
            self._tell(partial(self._arrive, Link(sock, screen)))
        else:
            sock.close()

    def drop(self, session_id: str) -> None:
        """Closes the screens of a session that ended (4401)."""
        self._tell(partial(self._drop, frozenset({session_id})))

    def wake(self) -> None:
        """Something may be new in the feed. Cheap, and never waits."""
        if self._links:
            self._pull_wanted = True
            self._ring()

    def publish(self, frames: Mapping[str, str], cursor: str | None = None) -> None:
        """Sends one JSON text a role to every live screen.

        With a cursor it is the feed's next change, for a feed that pushes; one that is pulled
        needs `wake` alone. Without, it is a frame outside of the feed, and is not repeated to
        whoever comes later.
        """
        self._tell(partial(self._publish, wire(frames), cursor))

    def _tell(self, command: Callable[[float], None]) -> None:
        if self._thread is not None and self._thread.is_alive():
            self._inbox.append(command)
            self._ring()

    def _ring(self) -> None:
        if not self._rung:
            self._rung = True
            # full: it rings already; closed: it has stopped
            with contextlib.suppress(OSError):
                self._clapper.send(b"\0")

    @property
    def _running(self) -> bool:
        return self._thread is not None and self._thread.is_alive() and self._stop_by is None

    # The broadcaster's own thread.

    def _run(self) -> None:
        while self._stop_by is None or (self._links and monotonic() < self._stop_by):
            try:
                self._turn()
            except Exception:  # noqa: BLE001 - the last line of defence for every screen
                # a screen comes back with its cursor, so nothing is lost by this
                _log.exception("The feed's broadcaster failed; every screen has to reconnect")
                for link in tuple(self._links):
                    self._forget(link)
        for link in tuple(self._links):
            self._forget(link)
        for command in tuple(self._inbox):
            command(monotonic())
        self._selector.close()
        self._bell.close()
        self._clapper.close()

    def _turn(self) -> None:
        for key, mask in self._selector.select(self._patience()):
            if key.data is None:
                self._hear_bell()
            else:
                self._serve(key.data, mask)
        now = monotonic()
        while self._inbox:
            self._inbox.popleft()(now)
        if self._links and now >= self._tick_at:
            self._tick(now)
        if now >= self._pull_at and (self._pull_wanted or self._catchup.ready):
            self._feed_screens(now)

    def _patience(self) -> float | None:
        """How long there is nothing to do but wait for sockets and the bell."""
        if not self._links:
            return None
        wanted = self._pull_wanted or self._catchup.ready
        until = min(self._tick_at, self._pull_at) if wanted else self._tick_at
        return max(0.0, until - monotonic())

    def _hear_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._bell.recv(64)
        # from here on a new command rings again
        self._rung = False

    def _serve(self, link: Link, mask: int) -> None:
        now = monotonic()
        if mask & selectors.EVENT_WRITE:
            link.flush(now)
        if mask & selectors.EVENT_READ and not link.ended:
            link.read(now)
        self._settle(link)

    def _settle(self, link: Link) -> None:
        """After anything was done with a link: what the selector and the sets say about it."""
        if link.ended:
            self._forget(link)
            return
        if link.backed_up != (link in self._watched):
            events = selectors.EVENT_READ
            if link.backed_up:
                events |= selectors.EVENT_WRITE
                self._watched.add(link)
            else:
                self._watched.discard(link)
            self._selector.modify(link.sock, events, link)
        if link.closing_since is not None and link not in self._closing:
            self._closing.add(link)
            self._leave(link)

    def _forget(self, link: Link) -> None:
        if link not in self._links:
            return
        del self._links[link]
        with contextlib.suppress(OSError, KeyError, ValueError):
            self._selector.unregister(link.sock)
        link.cut()
        self._watched.discard(link)
        self._closing.discard(link)
        self._leave(link)
        if not self._links:
            self._feed.rest()
            self._pull_wanted = False

    def _leave(self, link: Link) -> None:
        """The link takes no more part in the feed."""
        self._catchup.discard(link)
        if link in self._live:
            del self._live[link]
            self._presence_soon(monotonic())

    def _arrive(self, link: Link, now: float) -> None:
        if self._stop_by is not None:
            link.cut()
            return
        try:
            self._selector.register(link.sock, selectors.EVENT_READ, link)
        except (OSError, ValueError):
            link.cut()
            return
        self._links[link] = None
        self._catchup.add(link)
        link.beat_at = now + self._pace.beat
        self._rounds.append(link)
        self._pull_wanted = True

    def _begin_stop(self, stop_by: float, now: float) -> None:
        self._stop_by = stop_by
        for link in tuple(self._links):
            link.close(Close.GOING_AWAY, now)
            self._settle(link)

    def _drop(self, session_ids: Collection[str], now: float) -> None:
        for link in tuple(self._links):
            if link.screen.viewer.session_id in session_ids:
                link.close(Close.SIGNED_OUT, now)
                self._settle(link)

    def _publish(self, frames: Frames, cursor: str | None, now: float) -> None:
        if cursor is None or self._feed.push(cursor, frames):
            self._send_live(frames, now)

    def _send_live(self, frames: Frames, now: float) -> None:
        """One write a screen; what a socket does not take waits, and the next one is served."""
        touched: list[Link] = []
        for link in self._live:
            frame = frames.get(link.screen.viewer.role)
            if frame:
                link.send(frame, now)
                if link.ended or link.backed_up:
                    touched.append(link)
        for link in touched:
            self._settle(link)

    def _feed_screens(self, now: float) -> None:
        self._pull_wanted = False
        try:
            frames, drained = self._feed.pull()
            self._send_live(frames, now)
            if not drained:
                self._pull_wanted = True
            elif self._catchup.ready:
                self._welcome(self._catchup.step(now), now)
            elif frames:
                took = monotonic() - now
                self._pull_at = now + took + min(took * self._pace.rest_share, self._pace.rest)
        except StaleCursor:
            _log.warning("The feed's position is gone; every screen fetches the list again")
            self._catchup.readmit(self._live, self._feed.position)
            self._live.clear()
            self._feed.rest()
            self._pull_wanted = True
        except Exception:  # noqa: BLE001 - whatever the database's driver raises
            if not self._failing:
                _log.exception("The feed can't be read; screens stay and wait")
            self._failing = True
            self._pull_wanted = True
            self._pull_at = now + self._pace.retry
            return
        if self._failing:
            _log.warning("The feed can be read again")
            self._failing = False

    def _welcome(self, links: Iterable[Link], now: float) -> None:
        for link in links:
            if self._catchup.is_live(link) and link.closing_since is None:
                self._live[link] = None
                self._presence_soon(now)
            self._settle(link)

    def _presence_soon(self, now: float) -> None:
        if self._presence_at is None:
            self._presence_at = now + self._pace.presence

    def _tick(self, now: float) -> None:
        pace = self._pace
        self._tick_at = now + pace.tick
        for link in tuple(self._watched):
            if link.stalled_since is not None and now - link.stalled_since >= pace.stall:
                self._forget(link)
        for link in tuple(self._closing):
            if link.closing_since is not None and now - link.closing_since >= pace.linger:
                self._forget(link)
        self._beat(now)
        if self._presence_at is not None and now >= self._presence_at:
            self._presence_at = None
            self._send_presence(now)
        if now >= self._poll_at:
            self._poll_at = now + pace.poll
            self._pull_wanted = True
        if now >= self._sessions_at:
            self._sessions_at = now + pace.sessions
            self._check_sessions(now)

    def _beat(self, now: float) -> None:
        if not self._rounds or self._rounds[0].beat_at > now:
            return
        frame = text_frame(messages.beat(self._now())) + PING_FRAME
        while self._rounds and self._rounds[0].beat_at <= now:
            link = self._rounds.popleft()
            if link not in self._links:
                continue
            if link.backed_up:
                # whether it still reads is the stall's business; its ping would come too late
                link.unheard = 0
            elif link.unheard >= self._pace.unheard_beats:
                self._forget(link)
                continue
            link.new_round()
            link.send(frame if link.greeted else PING_FRAME, now)
            link.beat_at = now + self._pace.beat
            self._rounds.append(link)
            self._settle(link)

    def _send_presence(self, now: float) -> None:
        frame = text_frame(messages.presence({link.screen.viewer.name for link in self._live}))
        for link in tuple(self._live):
            if link.presence != frame:
                link.presence = frame
                link.send(frame, now)
                self._settle(link)

    def _check_sessions(self, now: float) -> None:
        if self._sessions_ended is None:
            return
        try:
            ended = self._sessions_ended({link.screen.viewer.session_id for link in self._links})
        except Exception as error:  # noqa: BLE001 - whatever the database's driver raises
            _log.warning("Sessions can't be looked up; their screens stay: %s", error)
            return
        if ended:
            self._drop(frozenset(ended), now)


def _file_limit() -> int:
    """Screens that the process's limit of open files leaves room for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, soft - _FILES_KEPT) if soft != resource.RLIM_INFINITY else CAPACITY * 1_000
