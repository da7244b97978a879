"""Catching up without a server: what must hold at the moments that a real feed rarely shows."""

import json
import socket
from collections.abc import Iterator, Sequence

import pytest

from webapp.web.socket.catchup import CatchUp
from webapp.web.socket.feed import MOST_MISSED, MOST_PULLED, Feed
from webapp.web.socket.link import Link
from webapp.web.socket.recent import KEPT
from webapp.web.socket.screen import Screen, Viewer
from webapp.web.socket.source import Change

NOW = "2026-11-30T09:41:25.114Z"


class Source:
    """Changes by number; fails for the cursors it is told to."""

    def __init__(self) -> None:
        self.head = 100
        self.fails: set[str] = set()
        self.before_answer = 0

    def latest(self) -> str:
        return str(self.head)

    def since(self, cursor: str, limit: int) -> Sequence[Change]:
        if cursor in self.fails:
            raise OSError("away")
        self.head += self.before_answer
        last = min(self.head, int(cursor) + limit)
        return [
            Change(str(n), "a", {"staff": json.dumps({"type": "row", "cursor": str(n)})})
            for n in range(int(cursor) + 1, last + 1)
        ]


class Pair:
    """A link, and the browser at its other end."""

    def __init__(self, after: str | None) -> None:
        ours, self.theirs = socket.socketpair()
        ours.setblocking(False)
        self.link = Link(ours, Screen(Viewer("s", "staff", "Asha"), after))

    def cursors(self) -> list[int]:
        """The cursors of all frames that came, hello's first."""
        self.link.sock.shutdown(socket.SHUT_WR)
        data = b""
        while piece := self.theirs.recv(65_536):
            data += piece
        parts = data.split(b'"cursor":')[1:]
        return [int(part.split(b'"')[1]) for part in parts]

    def close(self) -> None:
        self.link.cut()
        self.theirs.close()


@pytest.fixture
def pairs() -> Iterator[dict[str, Pair]]:
    made = {name: Pair(after) for name, after in [("old", "40"), ("older", "20"), ("new", None)]}
    yield made
    for pair in made.values():
        pair.close()


def _rounds(feed: Feed, catchup: CatchUp) -> None:
    """As the broadcaster does it, until everybody is live."""
    while catchup.ready:
        _, drained = feed.pull()
        if drained:
            list(catchup.step(0.0))


def test_who_was_served_before_the_feed_broke_is_live(pairs: dict[str, Pair]) -> None:
    source = Source()
    feed = Feed(source)
    feed.pull()
    catchup = CatchUp(feed, lambda: NOW)
    for name in ("new", "old"):
        catchup.add(pairs[name].link)
    source.fails = {"40"}
    step = catchup.step(0.0)
    assert next(step) is pairs["new"].link
    with pytest.raises(OSError, match="away"):
        next(step)
    assert catchup.is_live(pairs["new"].link)
    source.fails = set()
    assert list(catchup.step(0.0)) == [pairs["old"].link], "the one that failed comes later"


def test_changes_that_come_during_the_catch_up_are_neither_missed_nor_doubled(
    pairs: dict[str, Pair],
) -> None:
    source = Source()
    feed = Feed(source)
    feed.pull()
    catchup = CatchUp(feed, lambda: NOW)
    # every look at the feed finds it a bit further on
    source.before_answer = 3
    catchup.add(pairs["old"].link)
    catchup.add(pairs["older"].link)
    _rounds(feed, catchup)
    end = int(feed.position)
    assert end > 100
    assert pairs["old"].cursors() == list(range(40, end + 1))
    assert pairs["older"].cursors() == list(range(20, end + 1))


@pytest.mark.parametrize("missed", [1, MOST_MISSED, MOST_PULLED, KEPT, KEPT + 1, 2 * KEPT])
def test_from_memory_and_from_the_source_come_the_same(missed: int) -> None:
    source = Source()
    feed = Feed(source)
    feed.pull()
    source.head += missed
    while not feed.pull()[1]:
        pass
    pair = Pair("100")
    assert feed.remembers("100") == (missed <= KEPT)
    catchup = CatchUp(feed, lambda: NOW)
    catchup.add(pair.link)
    _rounds(feed, catchup)
    assert pair.cursors() == list(range(100, 101 + missed))
    pair.close()
