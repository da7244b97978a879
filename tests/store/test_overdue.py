"""What was overdue for too long is held, not run: promise 14, in the store."""

import pytest
from sqlalchemy import update

from tests.store.rows import ANA, claim_all, execute, put, row, states, verbs
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import batches, claims, events, overdue, pauses, transitions
from webapp.store.engine import Database
from webapp.store.hot import Hot
from webapp.store.schema import action

HOUR = 3_600 * SECOND


def hold(db: Database, reserve: int = 0) -> int:
    return db.statement(lambda tx: overdue.hold(tx, reserve))


def next_due(db: Database) -> int | None:
    with db.read() as tx:
        return claims.next_due(tx)


def test_overdue_for_too_long_it_is_held_and_not_claimed(database: Database) -> None:
    """Promise 14. The limit is the row's own; what is only late is run."""
    ids = [
        put(database, due=-HOUR - SECOND),
        put(database, due=-3 * HOUR, overdue_after=2 * HOUR),
        put(database, due=-HOUR + 60 * SECOND),
        put(database, due=-2 * HOUR, overdue_after=3 * HOUR),
    ]
    assert {one.id for one in claim_all(database)} == set(ids[2:])
    assert states(database, *ids) == ["scheduled", "scheduled", "executing", "executing"]
    assert hold(database) == 2
    assert hold(database) == 0
    assert states(database, *ids) == ["held", "held", "executing", "executing"]


@pytest.mark.parametrize(
    ("waited", "limit", "words"),
    [
        (45, 10, "was due for 45 s without being run"),
        (185, 60, "was due for 3 min 5 s without being run"),
        (2 * 3_600 + 5 * 60 + 59, 3_600, "was due for 2 h 5 min without being run"),
    ],
)
def test_it_says_for_how_long_it_waited(
    database: Database, waited: int, limit: int, words: str
) -> None:
    """Promise 15: what decided can be read on the row, and in its event."""
    one = put(database, due=-waited * SECOND, overdue_after=limit * SECOND)
    assert hold(database) == 1
    found = row(database, one)
    assert (found.state_by, found.state_reason) == ("policy", words)
    assert (found.execute_at, found.cancel_by, found.version) == (None, None, 2)
    with database.read() as tx:
        last = events.of_action(tx, one)[-1]
    assert (last.verb, last.actor, last.data) == ("held", "policy", {"reason": words})
    assert (last.from_state, last.to_state) == (State.SCHEDULED, State.HELD)


def test_a_release_restarts_the_count(database: Database) -> None:
    """The person has looked: it runs, after the time that a release gives."""
    one = put(database, due=-2 * HOUR)
    hold(database)
    database.transact(lambda tx: transitions.release(tx, one, ANA))
    found = row(database, one)
    assert found.claimable_at == found.execute_at > database.now()
    move = update(action).where(action.c.id == one)
    due = {"execute_at": database.now() - SECOND, "claimable_at": database.now() - SECOND}
    database.transact(lambda tx: tx.conn.execute(move.values(due)))
    assert hold(database) == 0
    assert [taken.id for taken in claim_all(database)] == [one]


def test_waiting_for_a_dependency_is_not_overdue(database: Database) -> None:
    """DESIGN: from the latest of `execute_at`, last dependency, resume."""
    parent = put(database, due=-SECOND)
    child = put(database, due=-5 * HOUR, parents=(parent,))
    assert hold(database) == 0
    execute(database, parent)
    assert hold(database) == 0
    assert [taken.id for taken in claim_all(database)] == [child]


def test_a_pause_is_not_overdue_and_its_end_restarts_the_count(database: Database) -> None:
    """As above: what fell due meanwhile gets its grace and is run."""
    stop = database.transact(
        lambda tx: pauses.add(tx, agent=None, kind="refund", reason="look", by="staff:ana")
    )
    one = put(database, due=-5 * HOUR, window=0)
    assert hold(database) == 0
    database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
    assert hold(database) == 0
    assert [taken.id for taken in claim_all(database)] == [one]


def test_run_now_restarts_the_count(database: Database) -> None:
    """A person wants it now."""
    one = put(database, due=-5 * HOUR)
    database.transact(lambda tx: transitions.run_now(tx, one, ANA))
    assert hold(database) == 0
    assert [taken.id for taken in claim_all(database)] == [one]


def test_a_retry_counts_from_its_own_time(database: Database) -> None:
    """The claim came in time; the provider was away."""
    one = put(database, due=-SECOND, overdue_after=5 * SECOND)
    (taken,) = claim_all(database)
    later = database.now() + 60 * SECOND
    result = claims.Finish(one, taken.attempt, State.SCHEDULED, retry_at=later)
    database.transact(lambda tx: claims.finish(tx, "worker:test", [result]))
    assert row(database, one).claimable_at == later
    assert hold(database) == 0


def test_an_extension_never_makes_it_overdue(database: Database) -> None:
    """`claimable_at` stays the latest of the three: here the dependency's end is."""
    parent = put(database, due=-SECOND)
    child = put(database, due=-100 * SECOND, parents=(parent,))
    execute(database, parent)
    ended = row(database, child).claimable_at
    database.transact(lambda tx: transitions.extend(tx, child, ANA, SECOND, 0))
    assert row(database, child).claimable_at == ended
    database.transact(lambda tx: transitions.extend(tx, child, ANA, 1_000 * SECOND, 0))
    found = row(database, child)
    assert found.claimable_at == found.execute_at > ended


def test_nothing_wakes_for_what_is_overdue_for_too_long(database: Database) -> None:
    """Else the dispatcher would spin until somebody has held it."""
    put(database, due=-5 * HOUR)
    assert next_due(database) is None
    later = put(database, due=HOUR)
    assert next_due(database) == row(database, later).execute_at


def test_an_overdue_action_can_still_be_cancelled(database: Database) -> None:
    """Promise 2."""
    one = put(database, due=-5 * HOUR)
    assert database.transact(lambda tx: transitions.cancel(tx, one, ANA, "k")) is not None
    assert hold(database) == 0
    assert verbs(database, one) == ["drafted", "cancelled"]


def test_planted_a_claim_without_the_guard_runs_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first test sees: the old guard claims what nobody has looked at for hours."""
    one = put(database, due=-5 * HOUR)
    careless = batches.Take(
        "claimed",
        batches._due,
        action.c.state == "scheduled",
        action.c.execute_at,
        "ix_action_claimable",
    )
    statement = careless.sqlite if database.dialect == "sqlite" else careless.postgresql
    monkeypatch.setitem(claims._TAKES, (batches.CLAIM, database.dialect), Hot(statement))
    assert [taken.id for taken in claim_all(database)] == [one]
