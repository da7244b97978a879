"""The claim: only what is due, never early, never more than asked for, soonest first."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from tests.store.rows import (
    LEASE,
    WORKER,
    claim_all,
    end,
    execute,
    put,
    row,
    states,
    verbs,
)
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import claims, pauses, transitions
from webapp.store.asker import Asker
from webapp.store.claims import Claim, take_over
from webapp.store.engine import Database, Tx
from webapp.store.schema import action, dependency

SLOW = settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def swept(db: Database, worker: str = "worker:other") -> list[Claim]:
    return db.transact(lambda tx: take_over(tx, worker, 10, LEASE))


def lose(db: Database, one: str) -> None:
    """The lease of a running row is over."""
    move = update(action).where(action.c.id == one).values(lease_until=db.now() - SECOND)
    db.transact(lambda tx: tx.conn.execute(move))


def paused(db: Database, *, agent: str | None = None, kind: str | None = None) -> int:
    """A pause's id."""

    def work(tx: Tx) -> int:
        return pauses.add(tx, agent=agent, kind=kind, reason="stop", by="staff:a").id

    return db.transact(work)


def test_nothing_is_claimed_before_its_time(database: Database) -> None:
    """Promise 3; CASES agronholm/apscheduler#182: late is run, early never."""
    overdue, due = put(database, due=-3_000 * SECOND), put(database, due=0)
    put(database, due=60 * SECOND)
    taken = claim_all(database)
    assert [one.id for one in taken] == [overdue, due]
    for one in taken:
        assert one.claimed_at >= one.execute_at
    assert claim_all(database) == []


def test_a_claim_says_who_until_when_and_which_attempt(database: Database) -> None:
    """DESIGN, Words: lease, claim, attempt (the fencing token)."""
    one = put(database)
    (taken,) = claim_all(database)
    found = row(database, one)
    assert (found.state, found.worker, found.attempt) == ("executing", WORKER, 1)
    assert found.lease_until == found.claimed_at + LEASE
    assert (taken.attempt, taken.payload, taken.payload_hash) == (
        1,
        found.payload,
        found.payload_hash,
    )
    assert not taken.cancel_recorded
    assert verbs(database, one) == ["drafted", "claimed"]


@SLOW
@given(
    slots=st.integers(0, 6), dues=st.lists(st.integers(-9, 9).filter(bool), min_size=1, max_size=9)
)
def test_a_claim_takes_the_soonest_up_to_its_slots(
    database: Database, slots: int, dues: list[int]
) -> None:
    """DESIGN: batch claims: no more than there are free slots, soonest first."""
    database.transact(lambda tx: tx.conn.execute(update(action).values(execute_at=2**60)))
    placed = [(due, put(database, due=due * 60 * SECOND)) for due in dues]
    expected = [one for due, one in sorted(placed) if due < 0][:slots]
    assert [taken.id for taken in claim_all(database, slots)] == expected


def test_what_waits_for_others_is_not_claimed(database: Database) -> None:
    """DESIGN: no dependency short of `executed`."""
    parent = put(database, due=-SECOND)
    child = put(database, due=-2 * SECOND, parents=(parent,))
    assert [taken.id for taken in claim_all(database)] == [parent]
    assert end(database, parent) == []
    assert [taken.id for taken in claim_all(database)] == [child]


def test_a_wrong_count_alone_lets_nothing_run(database: Database) -> None:
    """The column serves the index; the links decide."""
    parent = put(database, due=-SECOND)
    child = put(database, due=-2 * SECOND, parents=(parent,))
    wrong = update(action).where(action.c.id == child).values(blockers=0)
    database.transact(lambda tx: tx.conn.execute(wrong))
    assert [taken.id for taken in claim_all(database)] == [parent]


@pytest.mark.parametrize(
    ("narrow", "stops"),
    [
        ({}, {"refund", "reply"}),
        ({"kind": "reply"}, {"reply"}),
        ({"agent": "bot"}, {"refund", "reply"}),
        ({"agent": "other"}, set()),
        ({"agent": "bot", "kind": "refund"}, {"refund"}),
    ],
)
def test_what_is_paused_is_not_claimed(
    database: Database, narrow: dict[str, str], stops: set[str]
) -> None:
    """CONTRACT, pauses: no claims meanwhile, rows stay as they are."""
    ids = {kind: put(database, kind=kind) for kind in ("refund", "reply")}
    before = {kind: row(database, one) for kind, one in ids.items()}
    paused(database, **narrow)
    assert {taken.kind for taken in claim_all(database)} == ids.keys() - stops
    assert all(row(database, ids[kind]) == before[kind] for kind in stops)


def test_a_held_row_is_not_claimed(database: Database) -> None:
    """DESIGN, Words: hold: one row's clock stopped."""
    one = put(database)
    held = database.transact(lambda tx: transitions.hold(tx, one, Asker("staff:a"), 0))
    assert held is not None
    assert claim_all(database) == []


def test_a_stale_trigger_finds_nothing_to_claim(database: Database) -> None:
    """CASES nextcloud/mail#6334: moved to tomorrow, the old timer must not fire today."""
    one = put(database)
    later = update(action).where(action.c.id == one).values(execute_at=database.now() + 10**12)
    database.transact(lambda tx: tx.conn.execute(later))
    assert claim_all(database) == []


def test_the_next_due_time_is_the_one_of_what_could_be_claimed(database: Database) -> None:
    """DESIGN, Worker: one date job at the earliest claimable time."""

    def soonest() -> int | None:
        with database.read() as tx:
            return claims.next_due(tx)

    assert soonest() is None
    parent = put(database, due=60 * SECOND)
    put(database, due=SECOND, parents=(parent,))
    put(database, State.HELD, due=SECOND)
    reply = put(database, kind="reply", due=30 * SECOND)
    assert soonest() == row(database, reply).execute_at
    one = paused(database, kind="reply")
    assert soonest() == row(database, parent).execute_at
    database.transact(lambda tx: pauses.remove(tx, one, "staff:a"))
    assert soonest() == row(database, reply).execute_at


def test_only_a_lease_that_is_over_is_taken_over(database: Database) -> None:
    """CASES hexpm/hexpm#1825, rails/solid_queue#568: a live worker keeps what is its own."""
    live, lost = put(database), put(database)
    assert len(claim_all(database)) == 2
    lose(database, lost)
    before = row(database, live)
    (taken,) = swept(database)
    assert (taken.id, taken.attempt) == (lost, 2)
    found = row(database, lost)
    assert (found.state, found.worker) == ("executing", "worker:other")
    assert found.claimed_at == before.claimed_at, "the race with a cancel was at the first claim"
    assert row(database, live) == before
    assert verbs(database, lost)[-1] == "taken_over"
    assert swept(database) == []


def test_nothing_is_taken_over_while_paused(database: Database) -> None:
    """DESIGN: while paused it stays as it is and is swept after the resume."""
    one = put(database)
    claim_all(database)
    lose(database, one)
    stop = paused(database)
    assert swept(database) == []
    database.transact(lambda tx: pauses.remove(tx, stop, "staff:a"))
    assert [taken.id for taken in swept(database)] == [one]


def test_a_recorded_cancel_is_told_to_who_takes_over(database: Database) -> None:
    """DESIGN: executing again only if no cancel is recorded; so the sweep must know."""
    one = put(database)
    claim_all(database)
    database.transact(lambda tx: transitions.record_late_cancel(tx, one, Asker("a"), {}, "k"))
    lose(database, one)
    assert [taken.cancel_recorded for taken in swept(database)] == [True]


def test_a_heartbeat_keeps_what_still_runs_and_says_what_is_gone(database: Database) -> None:
    """CASES rails/solid_queue#568: heartbeat until the last effect ends."""
    kept, lost, done = (put(database) for _ in range(3))
    claim_all(database)
    lose(database, lost)
    swept(database)
    end(database, done)
    ids = [kept, lost, done]
    mine = database.transact(lambda tx: claims.extend_leases(tx, WORKER, ids, 2 * LEASE))
    assert mine == {kept}
    assert row(database, kept).lease_until > database.now() + LEASE
    with database.read() as tx:
        assert [one.id for one in claims.mine(tx, WORKER)] == [kept]
    assert row(database, lost).worker == "worker:other"


def test_an_executed_parent_without_its_link_blocks_nobody(database: Database) -> None:
    """DESIGN: a dependency that was dropped does not hold its child."""
    parent = put(database, due=60 * SECOND)
    child = put(database, parents=(parent,))

    database.transact(
        lambda tx: (
            tx.conn.execute(delete(dependency).where(dependency.c.child == child)),
            tx.conn.execute(update(action).where(action.c.id == child).values(blockers=0)),
        )
    )
    execute(database, child)
    assert states(database, parent, child) == ["scheduled", "executed"]
