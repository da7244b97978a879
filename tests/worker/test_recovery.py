"""Workers that are lost in the middle, and what the sweep makes of their actions."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from tests.fixtures.desk import Process, wait_until
from tests.worker.stage import (
    Gate,
    Recorder,
    get,
    make_desk,
    plant,
    row,
    serving,
    taken,
    timeline,
    until,
    working,
)
from webapp.config import Settings
from webapp.connectors.base import EffectRequest
from webapp.connectors.registry import connectors, ledger
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import execute as executing
from webapp.services.execute import Attempt, Means, execute
from webapp.store import batches, claims, pauses, stock
from webapp.store.asker import Asker
from webapp.store.claims import Claim, Finish
from webapp.store.engine import Database, Tx
from webapp.store.schema import action, reservation
from webapp.store.transitions import record_late_cancel
from webapp.worker import Worker

LOST = "worker:lost-1-abc"


def lose(db: Database, *, sent: bool = True, **values: Any) -> str:
    """An action whose worker was lost while it ran: claimed, and its lease is over."""
    (one,) = plant(db, row(db.now() - SECOND, **values))
    (claim,) = db.statement(lambda tx: claims.claim(tx, LOST, 1, -SECOND))
    assert claim.id == one
    return one


def test_killed_in_the_middle_of_an_effect_there_is_one_effect(
    database: Database, lone_worker: Callable[..., Process], tmp_path: Path
) -> None:
    """kill -9 after the provider took it and before the desk knew: same key again. Promise 4."""
    sandbox = {"SANDBOX_PATH": str(tmp_path / "sandbox.db"), "CONNECTOR_DEADLINE_SECONDS": "3.9"}
    process = lone_worker(
        str(database.url.render_as_string(hide_password=False)),
        **sandbox,
        SANDBOX_LATENCY_MS="3600",
        LEASE_SECONDS="4",
    )
    (one,) = plant(database, row(database.now()))
    settings = Settings.from_env({f"UNDO_DESK_{name}": text for name, text in sandbox.items()})
    wait_until(lambda: ledger(settings).find(f"act_{one}"), every=0.002)
    process.kill()
    assert get(database, one).state is State.EXECUTING
    worker = Worker(make_desk(database), connectors(settings))
    worker.start()
    done = until(database, one, State.EXECUTED)
    worker.stop()
    assert worker.join(10)
    assert done.attempt == 2
    entries = ledger(settings).entries()
    assert [entry.key for entry in entries] == [f"act_{one}"]
    assert done.effect is not None
    assert done.effect["provider_id"] == entries[0].provider_id


def test_an_attempt_in_the_key_is_what_that_test_sees(
    database: Database,
    lone_worker: Callable[..., Process],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted, saleor/apps#2446: a second attempt under a key of its own is a second effect."""
    real = executing.effect_request

    def with_attempt(claim: Claim, deadline: float) -> EffectRequest:
        request = real(claim, deadline)
        return replace(request, key=f"{request.key}-{claim.attempt}")

    monkeypatch.setattr(executing, "effect_request", with_attempt)
    with pytest.raises(AssertionError):
        test_killed_in_the_middle_of_an_effect_there_is_one_effect(database, lone_worker, tmp_path)


def test_a_lost_action_is_sent_again_where_the_provider_dedupes(database: Database) -> None:
    one = lose(database)
    with working(make_desk(database), connector := Recorder(dedupes=True)):
        done = until(database, one, State.EXECUTED)
    assert done.attempt == 2
    assert [request.key for request, _ in connector.sent] == [f"act_{one}"]
    assert [event.verb for event in timeline(database, one)] == [
        "claimed",
        "taken_over",
        "executed",
    ]


def test_a_lost_action_with_a_cancel_recorded_is_asked_for_and_never_sent(
    database: Database,
) -> None:
    one = lose(database)
    asker = Asker("staff:ana@example.com")
    database.transact(lambda tx: record_late_cancel(tx, one, asker, {}, "k"))
    connector = Recorder(dedupes=True, can_look_up=True)
    with working(make_desk(database), connector):
        done = until(database, one, State.CANCELLED)
    assert connector.sent == []
    assert len(connector.asked) == 1
    assert done.cancelled_by == "staff:ana@example.com"


def test_a_lost_action_that_the_provider_knows_is_executed(database: Database) -> None:
    one = lose(database)
    with working(make_desk(database), connector := Recorder(known=taken, can_look_up=True)):
        until(database, one, State.EXECUTED)
    assert connector.sent == []


def test_a_lost_action_that_nobody_can_tell_of_is_unknown(database: Database) -> None:
    """Mail: at most one try that may have had an effect per decision of a person. Promise 5."""
    one = lose(database)
    with working(make_desk(database), connector := Recorder()):
        until(database, one, State.UNKNOWN)
    assert connector.sent == []


def test_what_kills_every_worker_is_not_tried_for_ever(database: Database) -> None:
    one = lose(database, attempt=5)
    with working(make_desk(database), connector := Recorder(dedupes=True)):
        until(database, one, State.UNKNOWN)
    assert connector.sent == []


def test_under_a_pause_a_lost_action_stays_as_it_is(database: Database) -> None:
    stop = database.transact(
        lambda tx: pauses.add(tx, agent=None, kind=None, reason="look", by="staff:ana")
    )
    database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
    one = lose(database)
    stop = database.transact(
        lambda tx: pauses.add(tx, agent=None, kind=None, reason="look", by="staff:ana")
    )
    with working(make_desk(database, sweep_seconds=0.05), connector := Recorder(dedupes=True)):
        (free,) = plant(database, row(database.now() + 3600 * SECOND))
        began = database.now()
        wait_until(lambda: database.now() > began + SECOND // 2)
        assert get(database, one).attempt == 1
        database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
        until(database, one, State.EXECUTED)
    assert connector.ids == [one]
    assert get(database, free).state is State.SCHEDULED


def zombie(db: Database) -> tuple[str, Finish]:
    """An action that was taken over, and the first worker's result that comes after all."""
    one = lose(db)
    (again,) = db.statement(lambda tx: claims.take_over(tx, "worker:other", 1, 60 * SECOND))
    assert again.attempt == 2
    return one, Finish(one, 1, State.EXECUTED, effect='{"status":"settled"}')


def test_a_late_result_changes_nothing(database: Database) -> None:
    """oban-bg/oban#532: an older attempt that finished late resurrected a job."""
    one, late = zombie(database)
    before = get(database, one)
    assert database.transact(lambda tx: claims.finish(tx, LOST, [late])) == [late]
    assert get(database, one) == before
    assert [event.verb for event in timeline(database, one)] == ["claimed", "taken_over"]


def test_the_fence_is_what_the_test_above_sees(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: a finish by id and state alone lets the zombie win."""
    one, late = zombie(database)
    dialect = database.dialect

    def without_attempt(tx: Any, worker: str, results: Sequence[Finish]) -> Any:
        moved = tx.conn.execute(
            update(action)
            .where(action.c.id.in_([result.id for result in results]))
            .where(action.c.state == State.EXECUTING)
            .values(state=State.EXECUTED, finished_at=tx.now(), previous_state=action.c.state)
            .returning(*batches.FINISHED)
        )
        return moved.all()

    monkeypatch.setattr(claims, "_finish", without_attempt)
    assert database.transact(lambda tx: claims.finish(tx, LOST, [late])) == []
    assert get(database, one).state is State.EXECUTED, dialect


def test_a_late_result_is_logged_loudly(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker that slept while its lease ended and somebody else took over."""
    gate = Gate()
    desk = make_desk(database, sweep_seconds=60)
    worker = Worker(desk, serving(Recorder(gate)), slots=1)
    (one,) = plant(database, row(database.now()))
    worker.start()
    assert gate.entered.acquire(timeout=10)
    over = update(action).values(lease_until=database.now() - SECOND)
    database.transact(lambda tx: tx.conn.execute(over))
    database.statement(lambda tx: claims.take_over(tx, "worker:other", 1, 60 * SECOND))
    with caplog.at_level(logging.ERROR):
        gate.open()
        worker.stop()
        assert worker.join(10)
    assert one in caplog.text
    assert "not applied" in caplog.text
    assert (get(database, one).state, get(database, one).attempt) == (State.EXECUTING, 2)


def test_a_worker_that_slept_through_its_lease_sends_nothing(database: Database) -> None:
    """Before each send a worker checks its own lease by a monotonic clock. Promise 5."""
    (one,) = plant(database, row(database.now()))
    desk, connector, now = make_desk(database), Recorder(), 1_000.0
    (claim,) = database.statement(lambda tx: claims.claim(tx, LOST, 1, 30 * SECOND))
    means = Means(desk, serving(connector), lambda: now)
    result = execute(means, Attempt(claim, lease_end=now))
    assert connector.sent == []
    assert result.state is State.SCHEDULED
    assert execute(means, Attempt(claim, lease_end=now + 2)).state is State.EXECUTED
    ((request, _),) = connector.sent
    assert request.deadline == now + 2, "the effect ends with the lease at the latest"
    assert request.action_id == one


def test_a_claim_whose_answer_was_lost_is_begun_by_its_own_worker(database: Database) -> None:
    """The commit went through and its answer did not: nobody but this worker may begin it."""
    desk, connector = make_desk(database), Recorder()
    worker = Worker(desk, serving(connector), slots=2)
    (one,) = plant(database, row(database.now()))
    (claim,) = database.statement(lambda tx: claims.claim(tx, worker.name, 1, 60 * SECOND))
    assert isinstance(claim, Claim)
    worker.start()
    done = until(database, one, State.EXECUTED)
    worker.stop()
    assert worker.join(10)
    assert done.attempt == 1
    assert connector.ids == [one]


def test_a_take_over_whose_answer_was_lost_is_not_begun_as_if_nothing_was_sent(
    database: Database,
) -> None:
    """Promise 5: the attempt before may have had the effect; here nobody can say."""
    desk, connector = make_desk(database), Recorder()
    worker = Worker(desk, serving(connector), slots=2)
    one = lose(database)
    (claim,) = database.transact(lambda tx: claims.take_over(tx, worker.name, 1, 60 * SECOND))
    assert (claim.id, claim.taken_over) == (one, True)
    worker.start()
    until(database, one, State.UNKNOWN, State.EXECUTED)
    worker.stop()
    assert worker.join(10)
    assert connector.sent == []
    assert get(database, one).state is State.UNKNOWN


def test_a_late_result_of_a_worker_does_not_end_its_own_next_attempt(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 5: it lost an action and took it over again; each attempt is begun once."""
    sweeps: list[str] = []
    mine = claims.mine

    def counted(tx: Tx, worker: str) -> list[Claim]:
        sweeps.append(worker)
        return mine(tx, worker)

    monkeypatch.setattr(claims, "mine", counted)
    gates: dict[int, Gate] = {1: Gate(), 3: Gate()}
    connector = Recorder(lambda request: gates[request.attempt](request), dedupes=True)
    (one,) = plant(database, row(database.now()))
    with working(make_desk(database), connector):
        assert gates[1].entered.acquire(timeout=10)
        lost = update(action).where(action.c.id == one).values(lease_until=0)

        def by_another(tx: Tx) -> list[Claim]:
            tx.conn.execute(lost)
            return claims.take_over(tx, LOST, 1, -SECOND)

        assert [claim.attempt for claim in database.transact(by_another)] == [2]
        wait_until(lambda: get(database, one).attempt == 3)
        gates[1].open()
        wait_until(lambda: "late_result" in [event.verb for event in timeline(database, one)])
        assert gates[3].entered.acquire(timeout=10)
        sweeps.clear()
        wait_until(lambda: len(sweeps) >= 3)
        assert [request.attempt for request, _ in connector.sent] == [1, 3]
        gates[3].open()
        until(database, one, State.EXECUTED)
    assert [request.attempt for request, _ in connector.sent] == [1, 3]


def test_a_reservation_that_is_over_cancels_its_action(database: Database) -> None:
    """Promise 8: its stock goes back, once."""
    database.transact(lambda tx: stock.put(tx, [stock.Item("mug", 7)]))
    far, now = database.now() + 3600 * SECOND, database.now()
    over, kept = row(far, reserved_until=now - 1), row(far, reserved_until=now + 600 * SECOND)
    plant(database, over, kept)
    held = [
        {"action": each["id"], "sku": "mug", "quantity": 2, "reserved_at": now}
        for each in (over, kept)
    ]
    database.transact(lambda tx: tx.conn.execute(insert(reservation), held))
    with working(make_desk(database), Recorder()):
        done = until(database, over["id"], State.CANCELLED)
    assert (done.cancelled_by, done.cancel_reason) == ("policy", "the reservation has expired")
    assert get(database, kept["id"]).state is State.SCHEDULED
    with database.read() as tx:
        assert stock.get(tx, "mug") == stock.Item("mug", 9)
