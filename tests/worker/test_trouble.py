"""The database is away for a while: nothing is lost, nothing is doubled."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.fixtures.desk import wait_until
from tests.worker.stage import Gate, Recorder, get, make_desk, plant, row, states, until, working
from webapp.connectors.base import Effect, EffectRequest
from webapp.domain.errors import Unavailable
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import claims
from webapp.store.engine import Database, Tx

T = TypeVar("T")


class Flaky(Database):
    """A database that cannot be reached, or not be written, while the test says so."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.away = threading.Event()
        self.lose_replies = 0
        """How many more commits go through without their answer."""
        self.refused = 0

    def transact(self, work: Callable[[Tx], T]) -> T:
        self._check()
        result = super().transact(work)
        if self.lose_replies:
            self.lose_replies -= 1
            raise Unavailable("the answer was lost")
        return result

    def statement(self, work: Callable[[Tx], T], *, does: str = "") -> T:
        self._check()
        return super().statement(work, does=does)

    def _check(self) -> None:
        if self.away.is_set():
            self.refused += 1
            raise Unavailable("the database is away")


@pytest.fixture
def flaky(database_url: str) -> Flaky:
    return Flaky(database_url)


def test_what_ended_meanwhile_is_written_down_afterwards(flaky: Flaky) -> None:
    """rails/solid_queue#748: effect done, finishing failed, stuck for ever under a live worker."""
    gate = Gate()
    desk, connector = Desk(flaky, make_desk(flaky).settings), Recorder(gate)
    (one,) = plant(flaky, row(flaky.now()))
    with working(desk, connector):
        assert gate.entered.acquire(timeout=10)
        flaky.away.set()
        gate.open()
        wait_until(lambda: flaky.refused >= 3)
        assert get(flaky, one).state is State.EXECUTING
        flaky.away.clear()
        done = until(flaky, one, State.EXECUTED)
    assert done.attempt == 1
    assert connector.ids == [one]
    flaky.close()


def test_what_fell_due_meanwhile_runs_afterwards(flaky: Flaky) -> None:
    desk, connector = Desk(flaky, make_desk(flaky).settings), Recorder()
    with working(desk, connector):
        ids = plant(flaky, *(row(flaky.now() + 2 * SECOND + n) for n in range(20)))
        flaky.away.set()
        wait_until(lambda: flaky.refused >= 3)
        assert connector.sent == []
        flaky.away.clear()
        wait_until(lambda: set(states(flaky)) == {"executed"})
    assert sorted(connector.ids) == sorted(ids)
    flaky.close()


def test_a_commit_whose_answer_was_lost_is_not_done_twice(flaky: Flaky) -> None:
    """Finishing again finds its own result, and says nothing of a discrepancy."""
    gate = Gate()
    desk = Desk(flaky, make_desk(flaky, sweep_seconds=60).settings)
    connector = Recorder(gate)
    (one,) = plant(flaky, row(flaky.now()))
    with working(desk, connector):
        assert gate.entered.acquire(timeout=10)
        flaky.lose_replies = 1
        gate.open()
        done = until(flaky, one, State.EXECUTED)
        wait_until(lambda: flaky.lose_replies == 0)
    assert done.version == 3
    assert connector.ids == [one]
    flaky.close()


def test_a_result_that_cannot_be_stored_does_not_block_the_others(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = plant(database, *(row(database.now() - SECOND + n) for n in range(2)))
    real, both = claims.finish, threading.Barrier(2)

    def together(request: EffectRequest) -> Effect:
        both.wait(10)
        return Effect("settled", "p", {})

    def refusing(tx: Tx, worker: str, results: list[claims.Finish]) -> list[claims.Finish]:
        if any(result.id == bad for result in results) and not healed.is_set():
            raise ValueError("a bug in what follows a finish")
        return real(tx, worker, results)

    healed = threading.Event()
    monkeypatch.setattr(claims, "finish", refusing)
    began = time.monotonic()
    with working(make_desk(database), Recorder(together), slots=2):
        until(database, good, State.EXECUTED)
        assert time.monotonic() - began < 8
        assert get(database, bad).state is State.EXECUTING
        healed.set()
        until(database, bad, State.EXECUTED)


def test_connections_that_the_server_cut_come_back(postgresql_url: str) -> None:
    """A database restart: claims, wake-ups from elsewhere and heartbeats go on by themselves."""
    db, elsewhere = Database(postgresql_url), Database(postgresql_url)
    connector = Recorder()
    try:
        with working(make_desk(db), connector) as worker:
            (before,) = plant(db, row(db.now()))
            until(elsewhere, before, State.EXECUTED)
            with elsewhere.connection() as conn:
                conn.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            (after,) = plant(db, row(db.now()))
            until(elsewhere, after, State.EXECUTED)
            elsewhere.wakeup.watch()

            def moved() -> bool:
                due = elsewhere.now() + 3600 * SECOND - len(known) * SECOND
                known.append(due)
                plant(elsewhere, row(due))
                began = time.monotonic()
                while worker.next_at != due and time.monotonic() - began < 0.2:
                    time.sleep(0.005)
                return worker.next_at == due  # sooner than the slow poll

            known: list[int] = []
            wait_until(moved, seconds=15)
    finally:
        elsewhere.close()
        db.close()
