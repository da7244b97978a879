"""The host's clock is set while a worker waits by it."""

from datetime import UTC, datetime

import pytest
import time_machine

from tests.fixtures.desk import wait_until
from webapp.domain.times import MILLISECOND
from webapp.store.engine import Database
from webapp.worker.trigger import Trigger

HOUR = 3_600


@pytest.mark.parametrize("seconds", [-HOUR, HOUR])
def test_slow_jobs_go_on_when_the_hosts_clock_is_set(database: Database, seconds: int) -> None:
    """Promise 4: set back by an hour, sweep and heartbeat would have rested for that hour."""
    done: list[None] = []
    trigger = Trigger(database.now, lambda: None)
    trigger.every(0.1, lambda: done.append(None))
    with time_machine.travel(datetime.now(UTC), tick=True) as clock:
        trigger.start()
        try:
            wait_until(lambda: len(done) > 2)
            clock.shift(seconds)
            before = len(done)
            wait_until(lambda: len(done) > before + 3, seconds=5)
        finally:
            trigger.stop()


def test_what_waits_is_looked_at_anew(database: Database) -> None:
    """The job at the next due time stood by the clock that was wrong."""
    rung: list[None] = []
    trigger = Trigger(database.now, lambda: rung.append(None))
    with time_machine.travel(datetime.now(UTC), tick=True) as clock:
        trigger.start()
        try:
            trigger.forget()
            trigger.bring(database.now() + HOUR * 1_000_000)
            clock.shift(-HOUR)
            wait_until(lambda: trigger.unsure and rung, seconds=5)
        finally:
            trigger.stop()


def test_the_databases_clock_is_known_whatever_is_done_to_the_hosts(postgresql_url: str) -> None:
    """Promise 3: drafts and receipts follow the clock that decides, also between two looks."""
    db = Database(postgresql_url)
    try:
        db.measure_offset()
        with time_machine.travel(datetime.now(UTC), tick=True) as clock:
            clock.shift(HOUR)
            with db.read() as tx:
                assert abs(db.now() - tx.now()) < 100 * MILLISECOND
    finally:
        db.close()
