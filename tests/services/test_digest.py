"""What is made of events: each counts once, whoever follows, and whoever dies at it."""

from collections import Counter
from collections.abc import Sequence
from threading import Barrier, Thread

import pytest
from sqlalchemy import insert, select

from tests.services.people import ANA, drafted
from webapp.services import digest as digests
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.services.digest import behind, digest
from webapp.store import followers
from webapp.store.engine import Tx
from webapp.store.events import Event
from webapp.store.followers import Write
from webapp.store.running_schema import heartbeat


class Tally:
    """Writes one row an event, which stands for whatever a follower makes of it."""

    name = "tally"

    def __init__(self) -> None:
        self.fails = False

    def digest(self, _tx: Tx, found: Sequence[Event]) -> Write:
        def write(tx: Tx) -> None:
            rows = [{"worker": f"{one.id}", "at": one.at, "slots": 0} for one in found]
            tx.conn.execute(insert(heartbeat), rows)
            if self.fails:
                raise RuntimeError("died at it")

        return write


def counted(desk: Desk) -> Counter[str]:
    with desk.db.read() as tx:
        return Counter(tx.conn.scalars(select(heartbeat.c.worker)))


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "PIECE", 3)


@pytest.mark.usefixtures("pieces")
def test_all_events_are_digested_in_pieces(desk: Desk) -> None:
    """A round ends with nothing left; another finds only what came since."""
    ids = [drafted(desk).id for _ in range(7)]
    tally = Tally()
    assert behind(desk, tally.name)
    assert digest(desk, [tally], 60)
    assert len(counted(desk)) == 7
    cancel(desk, ids[0], ANA)
    assert behind(desk, tally.name)
    assert digest(desk, [tally], 60)
    assert not behind(desk, tally.name)
    assert len(counted(desk)) == 8


def test_a_follower_that_dies_at_it_counts_nothing_twice(desk: Desk) -> None:
    """Its place moves with what it wrote, or not at all."""
    drafted(desk)
    tally = Tally()
    tally.fails = True
    with pytest.raises(RuntimeError):
        digest(desk, [tally], 60)
    assert not counted(desk)
    tally.fails = False
    assert digest(desk, [tally], 60)
    assert list(counted(desk).values()) == [1]


@pytest.mark.usefixtures("pieces")
def test_two_workers_count_each_event_once(desk: Desk) -> None:
    """Whoever finds the place moved has nothing to write."""
    for _ in range(20):
        drafted(desk)
    start = Barrier(2)

    def work() -> None:
        start.wait()
        while behind(desk, "tally"):
            digest(desk, [Tally()], 60)

    both = [Thread(target=work) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert len(counted(desk)) == 20
    assert set(counted(desk).values()) == {1}


def test_a_stale_place_writes_nothing(desk: Desk) -> None:
    """Self-check: the comparison that the tests above stand on."""
    drafted(desk)
    tally = Tally()
    assert digest(desk, [tally], 60)

    def never(tx: Tx) -> None:
        raise AssertionError

    assert not followers.advance(desk.db, "tally", "0.0", "9.9", never)
