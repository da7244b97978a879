"""What workers leave to people, and what they end when nobody decides: end to end."""

from sqlalchemy import insert

from tests.worker.stage import Recorder, make_desk, plant, row, timeline, until, working
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import people, views
from webapp.store.engine import Database, Tx
from webapp.store.schema import action


def see(db: Database, action_id: str) -> None:
    """Somebody has it on screen."""

    def work(tx: Tx) -> None:
        if not people.everyone(tx):
            people.add(tx, email="a@example.com", name="A", role="staff", password_hash="x")
        views.record(tx, people.everyone(tx)[0].id, [(action_id, 1)])

    db.transact(work)


def test_what_nobody_saw_is_held_and_what_somebody_saw_runs(database: Database) -> None:
    """Promise 13. Both are due while the worker lives."""
    at = database.now() + 2 * SECOND
    seen, unseen = plant(database, row(at, unseen=True), row(at, unseen=True))
    see(database, seen)
    with working(make_desk(database), connector := Recorder()):
        until(database, seen, State.EXECUTED)
        held = until(database, unseen, State.HELD)
    assert connector.ids == [seen]
    assert str(held.state_reason).startswith("nobody has seen it")
    assert [event.verb for event in timeline(database, unseen)] == ["held"]


def test_what_nobody_decided_on_is_rejected_by_the_sweep(database: Database) -> None:
    """CONTRACT, approval_ttl_seconds."""
    now = database.now()
    waits = {"state": "awaiting_approval", "execute_at": None, "cancel_by": None}
    old = row(now, **waits, approve_by=now + SECOND // 2)
    young = row(now, **waits, approve_by=now + 60 * SECOND)
    database.transact(lambda tx: [tx.conn.execute(insert(action), one) for one in (old, young)])
    with working(make_desk(database), Recorder()):
        found = until(database, old["id"], State.REJECTED)
        still = until(database, young["id"], State.AWAITING_APPROVAL)
    assert (found.state_by, still.version) == ("policy", 1)
    assert [event.verb for event in timeline(database, old["id"])] == ["expired"]
