"""SIGTERM: nothing is claimed any more, and what has begun is written down first."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.fixtures.desk import Process, wait_until
from tests.worker.stage import Gate, Recorder, get, make_desk, plant, row, serving, until
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import heartbeats
from webapp.store.engine import Database
from webapp.worker import Worker

Start = Callable[..., Process]


def _url(db: Database) -> str:
    return str(db.url.render_as_string(hide_password=False))


def test_an_idle_worker_ends_at_once(database: Database, lone_worker: Start) -> None:
    process = lone_worker(_url(database))
    began = time.monotonic()
    assert process.stop() == 0, process.log.read_text()
    assert time.monotonic() - began < 5
    with database.read() as tx:
        assert heartbeats.health(tx).worker_age is None


def test_sigterm_waits_for_the_effect_in_flight_and_claims_nothing_more(
    database: Database, lone_worker: Start, tmp_path: Path
) -> None:
    process = lone_worker(
        _url(database),
        SANDBOX_PATH=str(tmp_path / "sandbox.db"),
        SANDBOX_LATENCY_MS="1500",
        CONNECTOR_DEADLINE_SECONDS="5",
        WORKER_SLOTS="1",
    )
    first, second = plant(database, row(database.now() - 1), row(database.now()))
    until(database, first, State.EXECUTING)
    process.popen.send_signal(signal.SIGTERM)
    assert process.popen.wait(10) == 0, process.log.read_text()
    assert get(database, first).state is State.EXECUTED
    assert get(database, second).state is State.SCHEDULED


def test_a_worker_that_was_stopped_and_goes_on_has_not_missed_its_sigterm(
    sqlite_url: str, lone_worker: Start
) -> None:
    """Whichever thread the kernel hands it to when all of them wake."""
    process = lone_worker(sqlite_url)
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGCONT):
        process.popen.send_signal(number)
    assert process.popen.wait(10) == 0, process.log.read_text()


def test_leases_are_kept_until_the_last_effect_has_been_written_down(database: Database) -> None:
    """rails/solid_queue#568: the heartbeat stopped before the drain; peers failed live jobs."""
    gate = Gate()
    desk = make_desk(database, lease_seconds=3, connector_deadline_seconds=2)
    draining, peer = (
        Worker(desk, serving(Recorder(gate)), slots=1),
        Worker(desk, serving(Recorder()), slots=1),
    )
    (one,) = plant(database, row(database.now()))
    draining.start()
    assert gate.entered.acquire(timeout=10)
    draining.stop()
    peer.start()
    lease = get(database, one).lease_until
    assert lease is not None
    wait_until(lambda: database.now() > lease + SECOND)  # swept many times since
    assert get(database, one).attempt == 1
    gate.open()
    assert draining.join(10)
    peer.stop()
    assert peer.join(10)
    done = get(database, one)
    assert (done.state, done.attempt) == (State.EXECUTED, 1)


def test_join_says_when_an_effect_still_runs(database: Database) -> None:
    gate = Gate()
    worker = Worker(make_desk(database), serving(Recorder(gate)), slots=1)
    plant(database, row(database.now()))
    worker.start()
    assert gate.entered.acquire(timeout=10)
    worker.stop()
    worker.stop()  # again does no harm
    assert not worker.join(0.1)
    gate.open()
    assert worker.join(10)
