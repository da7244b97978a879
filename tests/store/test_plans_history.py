"""Looking for what was: the index of a customer, an order or an id answers, in the ids' order."""

from typing import Any

from tests.bench.databases import fill, settle
from tests.store.test_plans import plan
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store import actions, attempts, finding, search
from webapp.store.engine import Database
from webapp.store.lists import ids_of

ROWS = 5_000
STATEMENTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "newest": (finding._NEWEST, ()),
    "customer": (finding._BY_CUSTOMER, ("ix_action_customer",)),
    "order": (finding._BY_ORDER, ("ix_action_order", "ix_part_order_ref")),
    "named": (finding._NAMED, ("ix_action_customer", "ix_action_order", "ix_part_order_ref")),
}


def test_its_index_answers(database: Database) -> None:
    """Issue 5, 6: what is called exactly so is found at once among all there ever was."""
    _fill(database)
    asked = {"b_before": finding.LAST, "b_limit": 100, "b_value": "c-77"}
    for name, (query, indexes) in STATEMENTS.items():
        found = plan(database, query.statement, asked)
        for index in indexes:
            assert index in found or "Seq Scan on part" in found, (name, found)
        assert "Seq Scan on action" not in found, (name, found)
        table = [line for line in found.splitlines() if line.startswith("SCAN action")]
        assert all("USING" in line for line in table), (name, found)


def test_rows_that_are_named_are_looked_up(database: Database) -> None:
    """What every screen and every search reads: by index, however many others there are."""
    _fill(database)
    with database.read() as tx:
        named = ids_of(tx, ["w1", "w2", "f3"])
    for query in (actions._BY_IDS, attempts._OF, search._PRUNED):
        found = plan(database, query.statement, named)
        assert "Seq Scan on action" not in found, found
        scans = [line for line in found.splitlines() if "SCAN" in line]
        assert all("VIRTUAL" in line for line in scans), found


def _fill(database: Database) -> None:
    desk = Desk(database, Settings())
    fill(desk, 1, ROWS)
    settle(desk)
