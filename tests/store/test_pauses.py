"""Pauses end with a grace, so that people can look at what fell due meanwhile."""

import pytest

from tests.store.rows import claim_all, put, row, verbs
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import pauses
from webapp.store.engine import Database
from webapp.store.pauses import GRACE_AT_MOST, Pause


def stop(db: Database, agent: str | None = None, kind: str | None = None) -> Pause:
    return db.transact(
        lambda tx: pauses.add(tx, agent=agent, kind=kind, reason="look", by="staff:a")
    )


def end(db: Database, one: Pause) -> Pause | None:
    return db.transact(lambda tx: pauses.remove(tx, one.id, "staff:b"))


@pytest.mark.parametrize(("window", "grace"), [(10, 10), (300, 60), (0, 0)])
def test_what_fell_due_gets_the_smaller_of_its_window_and_a_minute(
    database: Database, window: int, grace: int
) -> None:
    """DESIGN: after a resume, rows that passed meanwhile get a grace."""
    one = put(database, due=-60 * SECOND, window=window * SECOND)
    paused = stop(database)
    with database.read() as tx:
        begun = tx.now()
    assert end(database, paused) == paused
    found = row(database, one)
    assert grace * SECOND <= found.execute_at - begun <= (grace + 5) * SECOND
    assert found.execute_at == found.claimable_at == found.cancel_by
    assert found.version == 2
    assert verbs(database, one)[-1] == "resumed"
    assert GRACE_AT_MOST == 60 * SECOND


def test_what_is_not_yet_due_stays_as_it_is(database: Database) -> None:
    """DESIGN, Words: pause: claims stopped, rows untouched."""
    ids = [put(database, due=600 * SECOND), put(database, State.HELD, due=-SECOND)]
    before = [row(database, one) for one in ids]
    end(database, stop(database))
    assert [row(database, one) for one in ids] == before


def test_only_what_the_pause_named_gets_a_grace(database: Database) -> None:
    """CONTRACT, pauses: `agent`, `kind`."""
    refund, reply = put(database, due=-SECOND), put(database, kind="reply", due=-SECOND)
    other = put(database, kind="reply", due=-SECOND, agent="other")
    end(database, stop(database, agent="bot", kind="reply"))
    assert {taken.id for taken in claim_all(database)} == {refund, other}
    assert row(database, reply).state == "scheduled"


def test_a_pause_ends_once(database: Database) -> None:
    """A second person who resumes is told that it was over."""
    one = stop(database)
    assert end(database, one) == one
    assert end(database, one) is None
    with database.read() as tx:
        assert pauses.standing(tx) == []


def test_another_pause_still_stops(database: Database) -> None:
    """Each pause stands for itself."""
    put(database, due=-SECOND, window=0)
    everything, refunds = stop(database), stop(database, kind="refund")
    end(database, everything)
    assert claim_all(database) == []
    end(database, refunds)
    assert len(claim_all(database)) == 1
