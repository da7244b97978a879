"""What was open at the provider is settled by asking it later. Promise 6."""

import time

import pytest
from sqlalchemy import select, update

from tests.fixtures.desk import wait_until
from tests.worker.stage import (
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
from webapp.connectors.base import SETTLED, SUBMITTED, Effect, EffectFailed, EffectRequest
from webapp.connectors.registry import connectors
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.execute import Means
from webapp.services.settle import settle
from webapp.store import batches, claims, looks, pauses
from webapp.store.asker import Asker
from webapp.store.claims import Finish
from webapp.store.engine import Database
from webapp.store.schema import action
from webapp.store.transitions import record_late_cancel, resolve_happened

ERROR = '{"message": "no answer", "permanent": false, "may_have_happened": true, "detail": {}}'


def unknown(db: Database, *, cancelled: bool = False) -> str:
    """An action whose outcome became unknown a while ago."""
    (one,) = plant(db, row(db.now() - SECOND))
    db.statement(lambda tx: claims.claim(tx, "worker:w", 1, 60 * SECOND))
    if cancelled:
        asker = Asker("staff:ana@example.com", "stop it")
        db.transact(lambda tx: record_late_cancel(tx, one, asker, {}, "k"))
    finish = Finish(one, 1, State.UNKNOWN, error=ERROR)
    assert db.transact(lambda tx: claims.finish(tx, "worker:w", [finish])) == []
    return one


def look_at(db: Database, one: str) -> int | None:
    with db.read() as tx:
        return tx.conn.scalar(select(action.c.look_at).where(action.c.id == one))


def due(db: Database, one: str) -> None:
    """It may be asked about now."""
    move = update(action).where(action.c.id == one).values(look_at=db.now())
    db.transact(lambda tx: tx.conn.execute(move))


def asked(db: Database, one: str, connector: Recorder) -> Action:
    """After one round of asking."""
    due(db, one)
    settle(Means(make_desk(db), serving(connector), time.monotonic), "worker:w")
    return get(db, one)


def dead(_request: EffectRequest) -> Effect | None:
    raise EffectFailed("no answer", permanent=False, may_have_happened=True)


def submitted(request: EffectRequest) -> Effect:
    return Effect(SUBMITTED, f"p_{request.key}", {"eta": "soon"})


def test_an_unknown_outcome_that_the_provider_knows_is_executed(database: Database) -> None:
    """Issue 3, 3: reconciled automatically, and its story says how."""
    one = unknown(database)
    found = asked(database, one, connector := Recorder(known=taken, can_look_up=True))
    assert found.state is State.EXECUTED
    assert found.effect == {"status": SETTLED, "provider_id": f"p_act_{one}", "detail": {}}
    assert (found.state_by, connector.sent) == ("worker:w", [])
    last = timeline(database, one)[-1]
    assert (last.verb, last.data["outcome"]) == ("resolved", "happened")


@pytest.mark.parametrize("cancelled", [True, False])
def test_one_that_never_happened_has_failed_or_is_cancelled(
    database: Database, cancelled: bool
) -> None:
    """DESIGN: cancelled where a cancel was recorded and the effect is proven absent."""
    one = unknown(database, cancelled=cancelled)
    found = asked(database, one, Recorder(can_look_up=True))
    assert found.state is (State.CANCELLED if cancelled else State.FAILED)
    assert found.cancelled_by == ("staff:ana@example.com" if cancelled else None)


def test_a_provider_that_cannot_say_is_asked_again_later_and_later(database: Database) -> None:
    """The pause grows with the time since the claim, up to an hour."""
    one = unknown(database)
    connector = Recorder(known=dead, can_look_up=True)
    assert asked(database, one, connector).state is State.UNKNOWN
    for age, least in ((0, looks.PAUSE_AT_LEAST), (600, 300 * SECOND), (90_000, 3_600 * SECOND)):
        now = database.now()
        claimed = update(action).values(claimed_at=now - age * SECOND)
        database.transact(lambda tx, c=claimed: tx.conn.execute(c))  # type: ignore[misc]
        asked(database, one, connector)
        later = look_at(database, one)
        assert later is not None
        assert now + least <= later <= database.now() + least + SECOND
    assert len(connector.asked) == 4


def test_one_that_nobody_can_look_up_waits_for_a_person(database: Database) -> None:
    """Promise 6; zammad/zammad#1239: it stands there until somebody acts."""
    one = unknown(database)
    assert asked(database, one, connector := Recorder(known=taken)).state is State.UNKNOWN
    assert connector.asked == []


def test_under_a_pause_nobody_is_asked(database: Database) -> None:
    """A copied database must not settle what the first one still runs."""
    one = unknown(database)
    database.transact(
        lambda tx: pauses.add(tx, agent=None, kind=None, reason="look", by="staff:ana")
    )
    assert asked(database, one, Recorder(known=taken, can_look_up=True)).state is State.UNKNOWN


def test_a_person_who_was_faster_is_not_overruled(database: Database) -> None:
    """And after that there is nothing to ask."""
    one = unknown(database)
    connector = Recorder(can_look_up=True)
    asker = Asker("staff:ana@example.com", "seen there")
    effect = '{"status": "settled", "provider_id": null, "detail": {}}'
    database.transact(lambda tx: resolve_happened(tx, one, asker, effect))
    assert asked(database, one, connector).state is State.EXECUTED
    assert (look_at(database, one), connector.asked) == (None, [])


def test_it_is_not_asked_while_what_was_under_way_may_still_arrive(database: Database) -> None:
    """An absence is only proven once nobody can be sending any more."""
    before = database.now()
    later = look_at(database, unknown(database))
    assert later is not None
    assert later >= before + batches.FIRST_LOOK


def test_a_worker_settles_by_itself(database: Database) -> None:
    """The interval job."""
    one = unknown(database)
    due(database, one)
    with working(make_desk(database), Recorder(known=taken, can_look_up=True)):
        until(database, one, State.EXECUTED)


def test_what_was_only_taken_is_asked_about_until_it_is_settled(database: Database) -> None:
    """CONTRACT: the customer reads `done` only when the effect is settled."""
    connector = Recorder(submitted, can_look_up=True)
    (one,) = plant(database, row(database.now()))
    with working(make_desk(database, sweep_seconds=60), connector):
        until(database, one, State.EXECUTED)
    for answer, status in ((dead, SUBMITTED), (submitted, SUBMITTED), (taken, SETTLED)):
        connector.known = answer
        found = asked(database, one, connector)
        # What it said when it took it is kept.
        assert found.effect == {
            "status": status,
            "provider_id": f"p_act_{one}",
            "detail": {"eta": "soon"},
        }
    assert found.version == 4
    assert look_at(database, one) is None
    assert [event.verb for event in timeline(database, one)][-2:] == ["executed", "settled"]


def test_what_was_taken_back_meanwhile_stays_so(database: Database) -> None:
    """The answer is older than the reversal."""
    (one,) = plant(database, row(database.now()))
    connector = Recorder(submitted, can_look_up=True)
    with working(make_desk(database, sweep_seconds=60), connector):
        until(database, one, State.EXECUTED)

    def reversed_first(request: EffectRequest) -> Effect:
        back = update(action).values(effect='{"status": "reversed"}')
        database.transact(lambda tx: tx.conn.execute(back))
        return taken(request)

    connector.known = reversed_first
    assert asked(database, one, connector).effect == {"status": "reversed"}


def test_the_sandbox_settles_what_it_took(database: Database, tmp_path: object) -> None:
    """UNDO_DESK_SANDBOX_SETTLE_MS, end to end: submitted, then settled by asking."""
    settings = Settings.from_env(
        {
            "UNDO_DESK_SANDBOX_PATH": f"{tmp_path}/sandbox.db",
            "UNDO_DESK_SANDBOX_SETTLE_MS": "700",
            "UNDO_DESK_SWEEP_SECONDS": "0.1",
        }
    )
    desk = make_desk(database)
    connector = connectors(settings)["refund"]
    (one,) = plant(database, row(database.now()))
    with working(desk, connector):
        first = until(database, one, State.EXECUTED)
        assert first.effect is not None
        assert first.effect["status"] == SUBMITTED
        due(database, one)

        def settled() -> bool:
            due(database, one)
            return (get(database, one).effect or {}).get("status") == SETTLED

        wait_until(settled, every=0.1)
