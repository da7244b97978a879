"""Who commits wakes who waits: by a call in this process, through the database in others."""

import threading
from collections.abc import Iterator
from time import sleep

import pytest
from sqlalchemy import text

from tests.store.rows import ANA, put
from webapp.domain.times import SECOND
from webapp.store import transitions, wakeup
from webapp.store.engine import Database, Tx
from webapp.store.wakeup import NOTHING, UNKNOWN

WAIT = 20.0


class Ear:
    """Hears wake-ups, and lets a test wait for one."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self._some = threading.Condition()

    def __call__(self, due: int) -> None:
        with self._some:
            self.heard.append(due)
            self._some.notify_all()

    def wait(self, count: int) -> bool:
        with self._some:
            return self._some.wait_for(lambda: len(self.heard) >= count, WAIT)


@pytest.fixture
def others(database_url: str) -> Iterator[tuple[Database, Database]]:
    """Two engines on one database, as in two processes."""
    pair = Database(database_url), Database(database_url)
    yield pair
    for db in pair:
        db.close()


def test_a_commit_says_what_it_may_have_brought(database: Database) -> None:
    """DESIGN, Worker: a commit that brings an earlier time moves the trigger."""
    one = put(database, "awaiting_approval")
    ear = Ear()
    database.wakeup.subscribe(ear)
    row = database.transact(lambda tx: transitions.approve(tx, one, ANA, SECOND))
    assert row is not None
    database.transact(lambda tx: transitions.hold(tx, one, ANA, 0))
    assert ear.heard == [row.execute_at, NOTHING]


def test_what_is_rolled_back_wakes_nobody(database: Database) -> None:
    """Only a commit tells."""
    ear = Ear()
    database.wakeup.subscribe(ear)

    def work(tx: Tx) -> None:
        tx.brings(7)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - the work's own
        database.transact(work)
    assert ear.heard == []


def test_who_no_longer_listens_hears_nothing(database: Database) -> None:
    """A screen that is gone costs nothing."""
    ear, other = Ear(), Ear()
    database.wakeup.subscribe(ear)
    database.wakeup.subscribe(other)
    database.wakeup.unsubscribe(ear)
    put(database)
    assert (ear.heard, len(other.heard)) == ([], 1)


def test_who_listens_and_fails_fails_no_commit(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """DESIGN, Commit unknown: the winner is told that it won, whatever a wake-up comes to."""

    def broken(_due: int) -> None:
        raise RuntimeError("a bug in who listens")

    ear = Ear()
    database.wakeup.subscribe(broken)
    database.wakeup.subscribe(ear)
    assert put(database)
    assert len(ear.heard) == 1
    assert "who listens to wake-ups failed" in caplog.text


def test_another_process_is_told(others: tuple[Database, Database]) -> None:
    """DESIGN: NOTIFY after commit on PostgreSQL, `data_version` on SQLite."""
    here, there = others
    ear = Ear()
    there.wakeup.subscribe(ear)
    for db in others:
        db.wakeup.watch()
    assert there.dialect == "sqlite" or ear.wait(1), "listening begins with a look at the rows"
    before = len(ear.heard)
    put(here)
    assert ear.wait(before + 1)


def test_another_process_is_told_the_earliest_time(postgresql_url: str) -> None:
    """Several commits close together are one message, with the soonest of them."""
    here, there = Database(postgresql_url), Database(postgresql_url)
    ear = Ear()
    there.wakeup.subscribe(ear)
    there.wakeup.watch()
    assert ear.wait(1)
    here.wakeup.watch()
    for due in (900, 300, 600):
        here.wakeup.poke(due)
    assert ear.wait(2)
    assert min(due for due in ear.heard if due != UNKNOWN) == 300
    here.close()
    there.close()


def test_a_listener_that_lost_its_connection_comes_back(postgresql_url: str) -> None:
    """What was missed meanwhile is asked from the rows: UNKNOWN comes first."""
    here, there = Database(postgresql_url), Database(postgresql_url)
    ear = Ear()
    there.wakeup.subscribe(ear)
    there.wakeup.watch()
    assert ear.wait(1)
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    with here.connection() as conn:
        assert conn.execute(text(kill)).all()
    assert ear.wait(2)
    assert ear.heard[1] == UNKNOWN
    here.close()
    there.close()


def test_closing_ends_the_threads(database: Database) -> None:
    """Whatever is started is stopped."""
    before = set(threading.enumerate())
    database.wakeup.watch()
    database.wakeup.watch()
    assert len(set(threading.enumerate()) - before) == (2 if database.dialect != "sqlite" else 1)
    database.close()
    assert not {thread for thread in set(threading.enumerate()) - before if thread.is_alive()}


def test_a_stop_while_a_commit_is_being_told_ends_the_watching(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is waited for in vain, and no connection stays behind."""
    monkeypatch.setattr(wakeup, "_DEBOUNCE", 30.0)
    before = threading.active_count()
    db = Database(postgresql_url)
    db.wakeup.watch()
    db.wakeup.poke(1)
    ear = Ear()
    db.wakeup.subscribe(ear)
    assert ear.wait(1)  # it listens, so the other connection stands or will in a moment
    sleep(0.3)
    db.close()
    assert threading.active_count() == before
