"""What waits for approval: the queue, its length, and its end when nobody decides."""

from tests.store.rows import ANA, put, put_exchange, row, states, stocked, verbs
from tests.store.rows import available as in_stock
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import approvals, events, pauses, transitions
from webapp.store.engine import Database

DAY = 86_400 * SECOND
WAITS = State.AWAITING_APPROVAL


def waiting(db: Database, ago: int = 0, ttl: int = DAY) -> str:
    """An action that was drafted `ago` microseconds ago and may wait for `ttl`."""
    began = db.now() - ago
    return put(db, WAITS, drafted_at=began, approve_by=began + ttl)


def expire(db: Database) -> list[str]:
    """What a sweep does; the ids of those that it rejected."""
    with db.read() as tx:
        over = approvals.expired(tx, 100)
    return [one for one, span in over if db.transact(lambda tx: approvals.expire(tx, one, span))]  # noqa: B023


def test_the_queue_is_oldest_first_and_counted(database: Database) -> None:
    """Issue 4, 4."""
    ids = [waiting(database) for _ in range(3)]
    put(database)
    put(database, State.HELD)
    with database.read() as tx:
        assert [one.id for one in approvals.oldest(tx, 10)] == ids
        assert [one.id for one in approvals.oldest(tx, 2)] == ids[:2]
        assert (approvals.count(tx, 10), approvals.count(tx, 2)) == (3, 2)


def test_what_nobody_decides_on_in_time_is_rejected(database: Database) -> None:
    """CONTRACT, approval_ttl_seconds: then rejected, by policy. One event says why."""
    old, young = waiting(database, DAY), waiting(database, DAY - 60 * SECOND)
    short = waiting(database, 91 * SECOND, 90 * SECOND)
    assert set(expire(database)) == {old, short}
    assert states(database, old, young, short) == ["rejected", "awaiting_approval", "rejected"]
    found = row(database, old)
    assert (found.state_by, found.state_reason) == ("policy", "nobody decided within 24 h")
    assert found.finished_at is not None
    assert row(database, short).state_reason == "nobody decided within 90 s"
    with database.read() as tx:
        last = events.of_action(tx, old)[-1]
    assert (last.verb, last.actor, last.to_state) == ("expired", "policy", State.REJECTED)
    assert last.data == {"reason": "nobody decided within 24 h"}
    assert expire(database) == []


def test_descendants_and_stock_go_along(database: Database) -> None:
    """DESIGN: every arrow into `rejected` takes the descendants along in its transaction."""
    stocked(database, 5)
    began = database.now() - DAY
    parent = put_exchange(database, quantity=2, state=WAITS, approve_by=began)
    assert in_stock(database) == 3
    child = put(database, due=60 * SECOND, parents=(parent,))
    grandchild = put(database, WAITS, parents=(child,))
    assert expire(database) == [parent]
    assert states(database, parent, child, grandchild) == ["rejected", "cancelled", "cancelled"]
    assert in_stock(database) == 5
    assert verbs(database, child) == ["drafted", "cancelled_with_parent"]


def test_who_decides_first_wins(database: Database) -> None:
    """State decides, not the clock: until the sweep has come, a person's word counts."""
    approved, rejected, gone = (waiting(database, 2 * DAY) for _ in range(3))
    with database.read() as tx:
        over = dict(approvals.expired(tx, 10))
    assert database.transact(lambda tx: transitions.approve(tx, approved, ANA, 0))
    assert database.transact(lambda tx: transitions.reject(tx, rejected, ANA))
    assert database.transact(lambda tx: approvals.expire(tx, gone, DAY))
    assert over.keys() == {approved, rejected, gone}
    for one in (approved, rejected, gone):
        assert database.transact(lambda tx, one=one: approvals.expire(tx, one, DAY)) is None  # type: ignore[misc]
        assert database.transact(lambda tx, one=one: transitions.approve(tx, one, ANA, 0)) is None  # type: ignore[misc]
        assert len(verbs(database, one)) == 2
    assert states(database, approved, rejected, gone) == ["scheduled", "rejected", "rejected"]


def test_while_it_is_paused_it_waits(database: Database) -> None:
    """DESIGN: rows stay as they are; so a database that was put back can be looked at first."""
    one, other = waiting(database, 2 * DAY), put(database, WAITS, kind="reply", approve_by=1)
    stop = database.transact(
        lambda tx: pauses.add(tx, agent=None, kind="refund", reason="look", by="staff:ana")
    )
    assert expire(database) == [other]
    database.transact(lambda tx: pauses.remove(tx, stop.id, "staff:ana"))
    assert expire(database) == [one]


def test_its_own_time_is_looked_at_again(database: Database) -> None:
    """The list may be old when the arrow comes."""
    one = waiting(database)
    assert database.transact(lambda tx: approvals.expire(tx, one, DAY)) is None
    assert states(database, one) == ["awaiting_approval"]
