"""The policy table keeps who changed it, and every change makes older decisions stale."""

from sqlalchemy import select

from tests.store.test_concurrency import together
from webapp.store import policies
from webapp.store.engine import Database
from webapp.store.schema import policy_change


def test_a_row_is_written_replaced_and_remembered(database: Database) -> None:
    """Promise 15: what decided can be read years later."""
    for mode, by in (("window", "staff:a"), ("off", "staff:b")):
        body = {"mode": mode}
        database.transact(lambda tx, b=body, w=by: policies.write(tx, "refund", b, w))  # type: ignore[misc]
    with database.read() as tx:
        table = policies.read(tx)
        kept = tx.conn.execute(select(policy_change).order_by(policy_change.c.id)).all()
    assert table.bodies == {"refund": {"mode": "off"}}
    assert [(one.body, one.changed_by) for one in kept] == [
        ('{"mode": "window"}', "staff:a"),
        ('{"mode": "off"}', "staff:b"),
    ]


def test_every_change_raises_the_revision(database: Database) -> None:
    """DESIGN: a draft decided by an older table is decided again."""
    revisions = []
    for change in (
        lambda tx: policies.write(tx, "refund", {}, "a"),
        lambda tx: policies.flag(tx, "c-1", "r", "a"),
        lambda tx: policies.unflag(tx, "c-1"),
    ):
        database.transact(change)
        with database.read() as tx:
            revisions.append(policies.read(tx).revision)
    assert revisions == sorted(set(revisions))
    assert revisions[0] > 1


def test_changes_at_once_take_turns(database: Database) -> None:
    """Each is one more revision: none hides behind another."""

    def write() -> None:
        database.transact(lambda tx: policies.write(tx, "refund", {}, "a"))

    database.transact(lambda tx: policies.write(tx, "refund", {}, "a"))
    together([write] * 8)
    with database.read() as tx:
        assert policies.read(tx).revision == 10


def test_a_flag_is_set_replaced_and_taken_away(database: Database) -> None:
    """CONTRACT, `customer flag|unflag REF`."""
    for reason in ("chargebacks", "again"):
        database.transact(lambda tx, r=reason: policies.flag(tx, "c-1", r, "staff:a"))  # type: ignore[misc]
    with database.read() as tx:
        assert [(one.ref, one.reason) for one in policies.flags(tx)] == [("c-1", "again")]
        assert policies.read(tx).flagged == {"c-1"}
    assert database.transact(lambda tx: policies.unflag(tx, "c-1")) is True
    assert database.transact(lambda tx: policies.unflag(tx, "c-1")) is False
