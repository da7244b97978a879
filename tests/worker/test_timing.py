"""When things run: at their time, never before it, whoever moved it."""

import subprocess
import sys
import time

import pytest
from sqlalchemy import update

from tests.fixtures.desk import wait_until
from tests.worker.stage import (
    Recorder,
    get,
    make_desk,
    plant,
    row,
    states,
    timeline,
    until,
    working,
)
from webapp.domain.states import State
from webapp.domain.times import MILLISECOND, SECOND
from webapp.services.desk import Desk
from webapp.store.asker import Asker
from webapp.store.engine import Database, host_clock
from webapp.store.schema import action
from webapp.store.transitions import cancel, extend, run_now
from webapp.store.wakeup import NOTHING
from webapp.worker.trigger import Trigger

STAFF = Asker("staff:ana@example.com")
PROMPT = 20 * SECOND
"""Sooner than any poll here."""


@pytest.fixture(autouse=True)
def _no_poll_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.worker.worker.POLL_SECONDS", 60.0)


def test_each_runs_at_its_time_and_none_before(database: Database) -> None:
    """Promise 3, by the deciding clock, and without waiting for the slow poll."""
    desk, connector = make_desk(database), Recorder()
    start = database.now() + 300 * MILLISECOND
    rows = [row(start + number * 23_457) for number in range(40)]
    plant(database, *rows)
    with working(desk, connector, slots=1):  # with more, what is claimed together is called so
        wait_until(lambda: len(connector.sent) == len(rows))
    assert connector.ids == [each["id"] for each in rows]  # by execute_at
    for each in rows:
        done = get(database, each["id"])
        assert done.state is State.EXECUTED
        assert done.claimed_at is not None
        late = done.claimed_at - each["execute_at"]
        assert 0 <= late < PROMPT, "never early, and before a poll could have found it"


def test_an_earlier_arrival_moves_the_trigger(database: Database) -> None:
    """The job stands at the far one when the near one arrives, and again the other way round."""
    desk, connector = make_desk(database), Recorder()
    with working(desk, connector) as worker:
        far, near = row(database.now() + 3600 * SECOND), row(database.now() + 400 * MILLISECOND)
        plant(database, far)
        wait_until(lambda: worker.next_at == far["execute_at"])
        plant(database, near)
        assert worker.next_at == near["execute_at"]
        done = until(database, near["id"], State.EXECUTED)
        assert done.claimed_at is not None
        assert done.claimed_at - near["execute_at"] < PROMPT
        wait_until(lambda: worker.next_at == far["execute_at"])
    assert connector.ids == [near["id"]]


ARRIVES = """
import sys
from tests.worker.stage import plant, row
from webapp.store.engine import Database
db = Database(sys.argv[1])
db.wakeup.watch()
print(plant(db, row(int(sys.argv[2])))[0], flush=True)
sys.stdin.read()
db.close()
"""


def test_an_earlier_arrival_from_another_process_moves_the_trigger(database: Database) -> None:
    desk, connector = make_desk(database), Recorder()
    with working(desk, connector) as worker:
        plant(database, row(database.now() + 3600 * SECOND))
        due = database.now() + 60 * SECOND
        other = subprocess.Popen(
            [sys.executable, "-c", ARRIVES, str(database.url.render_as_string(False)), str(due)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            assert other.stdout is not None
            assert other.stdout.readline().strip()
            wait_until(lambda: worker.next_at == due, seconds=20)
        finally:
            other.communicate(timeout=20)


def test_of_two_arrivals_the_nearer_stays(database: Database) -> None:
    """The job is replaced under the lock that compares: a later one never overwrites it."""
    trigger = Trigger(database.now, lambda: None)
    trigger.start()
    try:
        now = database.now()
        trigger.bring(now + 50 * SECOND)
        trigger.bring(now + 90 * SECOND)
        assert trigger.at == now + 50 * SECOND
        trigger.forget()
        assert trigger.at == NOTHING
        trigger.bring(now + 90 * SECOND)
        assert trigger.at == now + 90 * SECOND
    finally:
        trigger.stop()


def test_a_late_job_is_run_and_not_dropped(database: Database) -> None:
    """agronholm/apscheduler#182, #296: a job 1.2 s late was dropped."""
    desk, connector = make_desk(database), Recorder()
    (late,) = plant(database, row(database.now() - 1_200 * MILLISECOND))
    with working(desk, connector):
        until(database, late, State.EXECUTED)
    assert connector.ids == [late]


def test_a_stale_trigger_finds_nothing_to_claim(database: Database) -> None:
    """nextcloud/mail#6334: rescheduled to tomorrow, and the old timer still fired today."""
    desk, connector = make_desk(database), Recorder()
    moved, soon = row(database.now() + 3 * SECOND), row(database.now() + 4 * SECOND)
    with working(desk, connector) as worker:
        plant(database, moved, soon)
        assert worker.next_at == moved["execute_at"]
        database.transact(lambda tx: extend(tx, moved["id"], STAFF, 3600 * SECOND, 0))
        until(database, soon["id"], State.EXECUTED)
    assert connector.ids == [soon["id"]]
    assert get(database, moved["id"]).attempt == 0


def test_cancelled_while_no_worker_lived_has_no_effect(database: Database) -> None:
    """celery/django-celery-results#423: a revoke with the workers down was forgotten."""
    desk, connector = make_desk(database), Recorder()
    gone, kept = plant(database, *(row(database.now() - SECOND) for _ in range(2)))
    assert database.transact(lambda tx: cancel(tx, gone, STAFF, "k")) is not None
    with working(desk, connector):
        until(database, kept, State.EXECUTED)
    assert connector.ids == [kept]
    assert get(database, gone).state is State.CANCELLED


def test_what_was_cancelled_does_not_go_out_beside_its_correction(database: Database) -> None:
    """freescout-help-desk/freescout#3300: nothing is left behind that can fire."""
    desk, connector = make_desk(database), Recorder()
    wrong, right = (row(database.now() + 4 * SECOND, kind="reply") for _ in range(2))
    with working(desk, connector) as worker:
        plant(database, wrong)
        assert worker.next_at == wrong["execute_at"]
        assert database.transact(lambda tx: cancel(tx, wrong["id"], STAFF, "k")) is not None
        plant(database, right)
        until(database, right["id"], State.EXECUTED)
    with working(desk, connector):  # nor does a worker that starts later find it
        (last,) = plant(database, row(database.now()))
        until(database, last, State.EXECUTED)
    assert connector.ids == [right["id"], last]
    assert get(database, wrong["id"]).attempt == 0


def test_run_now_runs_now(database: Database) -> None:
    desk, connector = make_desk(database), Recorder()
    (far,) = plant(database, row(database.now() + 3600 * SECOND))
    with working(desk, connector):
        database.transact(lambda tx: run_now(tx, far, STAFF))
        until(database, far, State.EXECUTED, seconds=20)


def test_a_host_ahead_of_the_database_neither_spins_nor_is_early(
    postgresql_url: str,
) -> None:
    """Two clocks: the trigger sleeps by the host's, the claim asks the database's."""
    ahead = 700 * MILLISECOND
    db = Database(postgresql_url, clock=lambda: host_clock() + ahead)
    try:
        desk, connector = Desk(db, make_desk(db).settings), Recorder()
        db.measure_offset()
        due = host_clock() + 500 * MILLISECOND
        (one,) = plant(db, row(due))
        cpu = time.process_time()
        with working(desk, connector):
            done = until(db, one, State.EXECUTED)
        assert done.claimed_at is not None
        assert 0 <= done.claimed_at - due < PROMPT, "before a poll could have found it"
        assert time.process_time() - cpu < 0.4
    finally:
        db.close()


def test_the_timeline_names_worker_attempt_and_provider(database: Database) -> None:
    desk, connector = make_desk(database), Recorder()
    (one,) = plant(database, row(database.now()))
    with working(desk, connector) as worker:
        until(database, one, State.EXECUTED)
    claimed, executed = timeline(database, one)
    assert (claimed.verb, claimed.actor, claimed.data) == ("claimed", worker.name, {"attempt": 1})
    assert executed.data == {"attempt": 1, "provider_id": f"p_act_{one}"}
    assert get(database, one).effect == {
        "status": "settled",
        "provider_id": f"p_act_{one}",
        "detail": {},
    }


def test_a_payload_that_was_changed_behind_our_back_is_not_sent(database: Database) -> None:
    """pydantic/pydantic-ai#6968: what was approved was not what was executed."""
    desk, connector = make_desk(database), Recorder()
    (one,) = plant(database, row(database.now() + 3600 * SECOND, payload_hash="0" * 64))
    database.transact(lambda tx: tx.conn.execute(update(action).values(execute_at=database.now())))
    with working(desk, connector):
        done = until(database, one, State.FAILED)
    assert connector.sent == []
    assert done.error is not None
    assert done.error["permanent"]
    assert "not the one that was shown" in done.error["message"]
    assert states(database) == ["failed"]
