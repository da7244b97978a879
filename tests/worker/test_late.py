"""Results of workers that were believed lost: evidence, or a discrepancy. Promise 5."""

import json
import re

import pytest
from sqlalchemy import update

from tests.api.world import World
from tests.worker.stage import Gate, Recorder, get, make_desk, plant, row, serving, timeline
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import screen
from webapp.services.late import disagreeing, reconcile
from webapp.store import claims, lineage
from webapp.store.asker import Asker
from webapp.store.attempts import Late
from webapp.store.claims import Finish
from webapp.store.engine import Database
from webapp.store.schema import action
from webapp.store.transitions import resolve_did_not_happen
from webapp.worker import Worker

ZOMBIE, OTHER = "worker:zombie", "worker:other"


def effect(provider_id: str) -> str:
    return json.dumps({"status": "settled", "provider_id": provider_id, "detail": {}})


def taken_over(db: Database, state: State | None = None, provider_id: str = "re_1") -> str:
    """An action whose first worker was believed lost; the second has left it in `state`."""
    (one,) = plant(db, row(db.now() - SECOND))
    db.statement(lambda tx: claims.claim(tx, ZOMBIE, 1, -SECOND))
    db.statement(lambda tx: claims.take_over(tx, OTHER, 1, 60 * SECOND))
    if state is not None:
        done = effect(provider_id) if state is State.EXECUTED else None
        finish = Finish(one, 2, state, effect=done, retry_at=db.now() + 600 * SECOND)
        assert db.transact(lambda tx: claims.finish(tx, OTHER, [finish])) == []
    return one


def late(db: Database, one: str, state: State, provider_id: str = "re_1") -> str | None:
    """What the zombie says of its first attempt."""
    done = effect(provider_id) if state is State.EXECUTED else None
    return reconcile(make_desk(db), Finish(one, 1, state, effect=done), ZOMBIE)


def logged(db: Database, one: str) -> list[Late]:
    _, around = screen.rows(make_desk(db), [one])
    return around.late.get(one, [])


def contradicts(db: Database, one: str) -> bool:
    return bool(disagreeing(get(db, one), logged(db, one)))


def test_it_is_evidence_for_an_unknown_row(database: Database) -> None:
    """Promise 5: settled by what the zombie knows, and its story says so."""
    one = taken_over(database, State.UNKNOWN)
    assert late(database, one, State.EXECUTED) is not None
    found = get(database, one)
    assert (found.state, found.state_by) == (State.EXECUTED, ZOMBIE)
    assert found.effect == json.loads(effect("re_1"))
    assert [event.verb for event in timeline(database, one)][-2:] == ["late_result", "resolved"]
    assert not contradicts(database, one)


@pytest.mark.parametrize("state", [State.FAILED, State.SCHEDULED, State.UNKNOWN])
def test_that_one_attempt_had_no_effect_settles_nothing(database: Database, state: State) -> None:
    """The other attempt may have had one: a person reads it and decides."""
    one = taken_over(database, State.UNKNOWN)
    late(database, one, state)
    assert get(database, one).state is State.UNKNOWN
    assert [(found.attempt, found.worker, found.outcome) for found in logged(database, one)] == [
        (1, ZOMBIE, state.value)
    ]


@pytest.mark.parametrize("state", [None, *State])
def test_on_any_other_row_it_changes_nothing_and_a_contradiction_is_shown(
    database: Database, state: State | None
) -> None:
    """oban-bg/oban#532: an older attempt that finished late resurrected a job."""
    if state not in (None, State.EXECUTED, State.FAILED, State.SCHEDULED):
        return
    one = taken_over(database, state)
    before = get(database, one)
    late(database, one, State.EXECUTED)
    after = get(database, one)
    assert (after.state, after.attempt, after.effect) == (
        before.state,
        before.attempt,
        before.effect,
    )
    assert contradicts(database, one) is (state in (State.FAILED, State.SCHEDULED))


def test_another_effect_than_the_rows_own_is_a_contradiction(database: Database) -> None:
    """It happened twice."""
    one = taken_over(database, State.EXECUTED, "re_1")
    late(database, one, State.EXECUTED, "re_2")
    assert contradicts(database, one)


def test_it_is_kept_once(database: Database) -> None:
    """Its commit's answer was lost, and it is told again."""
    one = taken_over(database, State.FAILED)
    assert late(database, one, State.EXECUTED) is not None
    version = get(database, one).version
    assert late(database, one, State.EXECUTED) is None
    assert (len(logged(database, one)), get(database, one).version) == (1, version)


def test_ones_own_commit_is_no_late_result(database: Database) -> None:
    """The answer of the finish was lost, not the finish."""
    one = taken_over(database, State.EXECUTED)
    own = Finish(one, 2, State.EXECUTED, effect=effect("re_1"))
    assert reconcile(make_desk(database), own, OTHER) is None
    assert logged(database, one) == []


@pytest.mark.parametrize("state", [State.EXECUTED, State.FAILED, State.UNKNOWN])
@pytest.mark.parametrize("settled", [False, True])
def test_what_a_worker_says_after_a_put_back_is_kept(
    database: Database, settled: bool, state: State
) -> None:
    """The row was taken from it with its own name and attempt still on it. Promises 5 and 14."""
    (one,) = plant(database, row(database.now() - SECOND))
    database.statement(lambda tx: claims.claim(tx, OTHER, 1, 60 * SECOND))
    database.transact(lineage.put_back)
    if settled:
        asker = Asker("ana@example.com", "not there")
        database.transact(lambda tx: resolve_did_not_happen(tx, one, asker))
    done = effect("re_1") if state is State.EXECUTED else None
    error = None if done else json.dumps({"message": "nobody answers"})
    said = Finish(one, 1, state, effect=done, error=error)
    assert database.transact(lambda tx: claims.finish(tx, OTHER, [said])) == [said]
    assert reconcile(make_desk(database), said, OTHER) is not None
    assert [kept.outcome for kept in logged(database, one)] == [state]
    assert contradicts(database, one) is (settled and state is State.EXECUTED)
    happened = state is State.EXECUTED and not settled
    left = State.FAILED if settled else State.EXECUTED if happened else State.UNKNOWN
    assert get(database, one).state is left


@pytest.mark.parametrize("state", [State.EXECUTED, State.FAILED, State.UNKNOWN])
@pytest.mark.parametrize("settled", [False, True])
def test_ones_own_commit_is_known_by_what_it_said(
    database: Database, settled: bool, state: State
) -> None:
    """Also when the row has moved on since."""
    (one,) = plant(database, row(database.now() - SECOND))
    database.statement(lambda tx: claims.claim(tx, OTHER, 1, 60 * SECOND))
    done = effect("re_1") if state is State.EXECUTED else None
    error = None if done else json.dumps({"message": "nobody answers"})
    own = Finish(one, 1, state, effect=done, error=error)
    assert database.transact(lambda tx: claims.finish(tx, OTHER, [own])) == []
    if settled:
        asker = Asker("ana@example.com", "not there")
        database.transact(lambda tx: resolve_did_not_happen(tx, one, asker))
    assert reconcile(make_desk(database), own, OTHER) is None
    assert logged(database, one) == []


def test_a_worker_that_slept_reports_by_itself(database: Database) -> None:
    """End to end: SIGSTOP beyond the lease, and back."""
    gate = Gate()
    worker = Worker(make_desk(database, sweep_seconds=60), serving(Recorder(gate)), slots=1)
    (one,) = plant(database, row(database.now()))
    worker.start()
    assert gate.entered.acquire(timeout=10)
    over = update(action).values(lease_until=database.now() - SECOND)
    database.transact(lambda tx: tx.conn.execute(over))
    database.statement(lambda tx: claims.take_over(tx, OTHER, 1, 60 * SECOND))
    unknown = Finish(one, 2, State.UNKNOWN)
    database.transact(lambda tx: claims.finish(tx, OTHER, [unknown]))
    gate.open()
    worker.stop()
    assert worker.join(10)
    assert get(database, one).state is State.EXECUTED
    assert [found.outcome for found in logged(database, one)] == ["executed"]


def test_people_read_it_on_the_feed_and_on_its_page(database: Database) -> None:
    """A discrepancy stands on the row, among what needs a person."""
    world = World(database)
    one = world.returns.draft()["id"]
    claim = world.claim(one)
    database.transact(
        lambda tx: claims.finish(
            tx, "worker:test", [Finish(one, claim.attempt, State.FAILED, error="{}")]
        )
    )
    # As if it had been a second attempt that failed.
    database.transact(lambda tx: tx.conn.execute(update(action).values(attempt=2)))
    late(database, one, State.EXECUTED, "re_9")

    def read(path: str) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", world.ana.client.get(path).text).split())

    assert "Look at the provider: attempt 1, believed lost, reported at" in read("/")
    page = read(f"/actions/{one}")
    assert "Reported too late" in page
    assert "executed (re_9) at" in page
    assert "attempt 1 reported late, executed: not applied" in page
