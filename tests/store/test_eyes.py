"""What asks for eyes and was seen by nobody is held, not run: promise 13, in the store."""

from typing import Any

import pytest
from sqlalchemy import and_, update

from tests.store.rows import ANA, GONE, claim_all, execute, put, row, states, verbs
from tests.store.test_overdue import hold, next_due
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import batches, claims, events, overdue, pauses, people, transitions, views
from webapp.store.engine import Database
from webapp.store.hot import Hot
from webapp.store.schema import action


@pytest.fixture
def ana(database: Database) -> int:
    """Somebody who looks."""

    def work(tx: Any) -> int:
        who = {"email": "ana@example.com", "name": "Ana", "role": "staff", "password_hash": "x"}
        people.add(tx, **who)
        return people.everyone(tx)[0].id

    return database.transact(work)


def look(db: Database, person: int, action_id: str, version: int = 1) -> None:
    db.transact(lambda tx: views.record(tx, person, [(action_id, version)]))


def set_due(db: Database, action_id: str, due: int) -> None:
    """Its time is `due` microseconds from now."""
    at = db.now() + due
    times = {"execute_at": at, "cancel_by": at, "claimable_at": at}
    move = update(action).where(action.c.id == action_id).values(times)
    db.transact(lambda tx: tx.conn.execute(move))


def test_unseen_when_due_it_is_held_and_not_claimed(database: Database, ana: int) -> None:
    """Promise 13. What was seen runs, and so does what does not ask."""
    unseen, seen = (
        put(database, due=60 * SECOND, unseen=True),
        put(database, unseen=True, due=SECOND),
    )
    look(database, ana, seen)
    for one in (unseen, seen):
        set_due(database, one, -SECOND)
    plain = put(database, due=-SECOND)
    assert {one.id for one in claim_all(database)} == {seen, plain}
    assert hold(database) == 1
    assert hold(database) == 0
    assert states(database, unseen, seen, plain) == ["held", "executing", "executing"]


def test_the_row_and_its_event_say_that_nobody_has_seen_it(database: Database) -> None:
    """Promise 15."""
    one = put(database, due=-SECOND, unseen=True)
    hold(database)
    found = row(database, one)
    assert (found.state_by, found.state_reason) == ("policy", overdue.UNSEEN)
    assert found.state_reason.startswith("nobody has seen it")
    with database.read() as tx:
        last = events.of_action(tx, one)[-1]
    assert (last.verb, last.actor, last.data) == ("held", "policy", {"reason": overdue.UNSEEN})
    assert (last.from_state, last.to_state) == (State.SCHEDULED, State.HELD)


def test_who_looks_when_its_time_has_come_is_too_late(database: Database, ana: int) -> None:
    """It must not run at the moment somebody first looks: nobody could cancel it then."""
    one = put(database, due=-SECOND, unseen=True)
    look(database, ana, one)
    assert row(database, one).first_viewed_at is not None
    assert claim_all(database) == []
    assert hold(database) == 1


def test_a_view_of_an_older_payload_does_not_count(database: Database, ana: int) -> None:
    """Promise 13: seen means this version of what it does."""
    one = put(database, due=60 * SECOND, unseen=True, version=3, payload_version=3)
    look(database, ana, one, 2)
    assert row(database, one).unseen
    look(database, ana, one, 4)
    look(database, ana, GONE)
    assert row(database, one).unseen
    look(database, ana, one, 3)
    assert not row(database, one).unseen


def test_what_somebody_decided_on_was_seen(database: Database) -> None:
    """CONTRACT: run-now counts as seen; so does whoever approves or releases the row."""
    ahead = put(database, due=60 * SECOND, unseen=True)
    approved = put(database, State.AWAITING_APPROVAL, unseen=True)
    held = put(database, due=-SECOND, unseen=True)
    hold(database)
    database.transact(lambda tx: transitions.run_now(tx, ahead, ANA))
    database.transact(lambda tx: transitions.approve(tx, approved, ANA, 0))
    database.transact(lambda tx: transitions.release(tx, held, ANA))
    for one in (ahead, approved, held):
        set_due(database, one, -SECOND)
    assert {one.id for one in claim_all(database)} == {ahead, approved, held}


def test_while_it_waits_for_another_action_it_can_be_seen(database: Database, ana: int) -> None:
    """Its clock may be over, but it cannot run: there still is time to look."""
    parent = put(database, due=-SECOND)
    seen = put(database, due=-SECOND, unseen=True, parents=(parent,))
    unseen = put(database, due=-SECOND, unseen=True, parents=(parent,))
    assert hold(database) == 0, "it waits for something else"
    look(database, ana, seen)
    execute(database, parent)
    assert [taken.id for taken in claim_all(database)] == [seen]
    assert hold(database) == 1
    assert states(database, unseen) == ["held"]


def test_a_pause_leaves_it_and_its_end_gives_time_to_look(database: Database, ana: int) -> None:
    """DESIGN: rows stay as they are, and what passed meanwhile gets a grace."""
    stop = database.transact(
        lambda tx: pauses.add(tx, agent=None, kind=None, reason="look", by="staff:ana")
    )
    one = put(database, due=-SECOND, unseen=True)
    assert hold(database) == 0
    look(database, ana, one)
    database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
    look(database, ana, one, row(database, one).version)
    set_due(database, one, -SECOND)
    assert [taken.id for taken in claim_all(database)] == [one]


def test_workers_wake_for_what_may_still_be_seen_only(database: Database, ana: int) -> None:
    """Else the dispatcher would sleep through a view, or spin until somebody has held it."""
    put(database, due=-SECOND, unseen=True)
    assert next_due(database) is None
    later = put(database, due=60 * SECOND, unseen=True)
    assert next_due(database) == row(database, later).execute_at


def test_it_can_still_be_cancelled(database: Database) -> None:
    """Promise 2."""
    one = put(database, due=-SECOND, unseen=True)
    assert database.transact(lambda tx: transitions.cancel(tx, one, ANA, "k")) is not None
    assert hold(database) == 0
    assert verbs(database, one) == ["drafted", "cancelled"]


def careless_claim() -> batches.Take:
    """A claim that does not ask whether anybody has seen it."""
    return batches.Take(
        "claimed",
        and_(batches._due, batches._none(batches._overdue, batches._blocked, batches._paused)),
        batches._state == "scheduled",
        action.c.execute_at,
        "ix_action_claimable",
    )


def test_planted_a_claim_without_the_guard_runs_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first test sees."""
    one = put(database, due=-SECOND, unseen=True)
    careless = careless_claim()
    statement = careless.sqlite if database.dialect == "sqlite" else careless.postgresql
    monkeypatch.setitem(claims._TAKES, (batches.CLAIM, database.dialect), Hot(statement))
    assert [taken.id for taken in claim_all(database)] == [one]
