"""What is claimed begins at once: as many as there are threads free, and not one more."""

import threading
import time
from functools import partial

from sqlalchemy import event, select

from tests.fixtures.desk import wait_until
from tests.worker.stage import (
    Gate,
    Recorder,
    get,
    make_desk,
    plant,
    row,
    states,
    taken,
    timeline,
    until,
    working,
)
from webapp.connectors.base import Effect, EffectRequest
from webapp.domain.states import State
from webapp.domain.times import MILLISECOND, SECOND
from webapp.store import claims, pauses
from webapp.store.engine import Database
from webapp.store.schema import action


def test_never_more_in_flight_than_slots(database: Database) -> None:
    """relaticle/relaticle#262: what waits in a queue must still be cancellable."""
    lock, now, most = threading.Lock(), 0, 0

    def counted(request: EffectRequest) -> Effect:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1
        return taken(request)

    desk, connector = make_desk(database), Recorder(counted)
    ids = plant(database, *(row(database.now() - SECOND + n) for n in range(60)))
    with working(desk, connector, slots=3):
        wait_until(lambda: set(states(database)) == {"executed"})
    assert most == 3
    assert sorted(connector.ids) == sorted(ids)


def test_no_row_is_claimed_without_its_effect_having_begun(database: Database) -> None:
    gate = Gate()
    desk, connector = make_desk(database), Recorder(gate)
    plant(database, *(row(database.now() - SECOND + n) for n in range(10)))
    with working(desk, connector, slots=4):
        for _ in range(4):
            assert gate.entered.acquire(timeout=10)
        executing = [state for state in states(database) if state == State.EXECUTING]
        assert len(executing) == len(connector.sent) == 4
        gate.open()
        wait_until(lambda: set(states(database)) == {"executed"})


def test_what_ended_and_what_is_due_share_a_transaction(sqlite_url: str) -> None:
    """Fused: with every slot in use, a finish and the next claim are one commit."""
    db = Database(sqlite_url)
    commits = 0

    @event.listens_for(db._writing, "commit")
    def _count(_: object) -> None:
        nonlocal commits
        commits += 1

    desk, connector = make_desk(db, sweep_seconds=60), Recorder()
    plant(db, *(row(db.now() - SECOND + n) for n in range(50)))
    try:
        with working(desk, connector, slots=1):
            wait_until(lambda: set(states(db)) == {"executed"})
            # 50 finishes and 50 claims one by one would be 100
            assert commits < 75
    finally:
        db.close()


def test_a_claim_takes_no_more_than_it_is_asked_for(database: Database) -> None:
    """PostgreSQL may plan `IN (SELECT … LIMIT n SKIP LOCKED)` so that it takes more than n."""
    plant(database, *(row(database.now() - SECOND + n) for n in range(300)))
    for wanted in (1, 7, 64):
        got = database.statement(partial(claims.claim, worker="w", slots=wanted, lease=SECOND))
        assert len(got) == wanted
        assert got == sorted(got, key=lambda claim: claim.execute_at)


def test_dependants_run_in_order_after_their_parent(database: Database) -> None:
    desk, connector = make_desk(database), Recorder()
    due = database.now() + 200 * MILLISECOND
    grand = row(due)
    parent = row(due - 50 * MILLISECOND, has_dependants=True, blockers=0)
    child = row(due - 100 * MILLISECOND, has_dependants=True, blockers=1)
    plant(database, parent)
    plant(database, child, parents=[parent["id"]])
    plant(database, grand | {"blockers": 1}, parents=[child["id"]])
    with working(desk, connector):
        until(database, grand["id"], State.EXECUTED)
    assert connector.ids == [parent["id"], child["id"], grand["id"]]
    for above, below in ((parent, child), (child, grand)):
        ended, began = get(database, above["id"]), get(database, below["id"])
        assert ended.finished_at is not None
        assert began.claimed_at is not None
        assert ended.finished_at <= began.claimed_at


def test_a_failed_parent_takes_its_children_along(database: Database) -> None:
    def declined(request: EffectRequest) -> Effect:
        raise AssertionError(f"{request.key} must fail before it is sent")

    desk, connector = make_desk(database), Recorder(declined)
    parent = row(database.now(), has_dependants=True, payload_hash="0" * 64)
    child = row(database.now(), blockers=1)
    plant(database, parent)
    plant(database, child, parents=[parent["id"]])
    with working(desk, connector):
        until(database, parent["id"], State.FAILED)
    assert get(database, child["id"]).state is State.CANCELLED
    assert connector.sent == []


def test_a_pause_holds_from_the_next_claim_and_a_resume_gives_people_time(
    database: Database,
) -> None:
    desk, connector = make_desk(database), Recorder()
    with working(desk, connector):
        stop = database.transact(
            lambda tx: pauses.add(tx, agent=None, kind="refund", reason="look", by="staff:ana")
        )
        (one,) = plant(database, row(database.now(), window=SECOND))
        (other,) = plant(database, row(database.now(), kind="label"))
        until(database, other, State.EXECUTED)
        assert get(database, one).state is State.SCHEDULED
        resumed = database.now()
        database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
        done = until(database, one, State.EXECUTED)
    assert done.claimed_at is not None
    assert done.claimed_at >= resumed + SECOND  # the smaller of its window and 60 s
    assert [event.verb for event in timeline(database, one)] == ["resumed", "claimed", "executed"]


def test_two_workers_make_each_effect_once(database: Database) -> None:
    """nextcloud/mail#6194, agronholm/apscheduler#766: two processes both sent it."""
    desk, connector = make_desk(database), Recorder()
    ids = plant(database, *(row(database.now() - SECOND + n) for n in range(200)))
    with working(desk, connector, slots=5), working(desk, connector, slots=5):
        wait_until(lambda: set(states(database)) == {"executed"}, seconds=20)
    assert sorted(connector.ids) == sorted(ids)
    with database.read() as tx:
        workers = set(tx.conn.scalars(select(action.c.worker)))
        attempts = set(tx.conn.scalars(select(action.c.attempt)))
    assert len(workers) == 2, "both took part"
    assert attempts == {1}
