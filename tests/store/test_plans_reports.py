"""A report reads its period by the cells' key, however much was counted before and after."""

from collections import Counter
from typing import Any

from tests.bench.databases import settle
from tests.store.test_plans import plan
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store import report_cells
from webapp.store.engine import Database
from webapp.store.report_cells import Key

DAYS = 20


def test_the_key_answers(database: Database) -> None:
    """For all cells of some days, and for one kind's half hours."""
    cells = {
        Key(half, kind, "bot"): Counter(drafted=1)
        for half in range(DAYS * 48)
        for kind in ("refund", "label", "reply")
    }
    database.transact(lambda tx: report_cells.add(tx, cells))
    settle(Desk(database, Settings()))
    asked = {"b_first": 48, "b_last": 2 * 48 - 1, "b_kind": "refund", "b_agent": "bot"}
    for statement in (report_cells._EVERY.statement, report_cells._ONE.statement):
        known: Any = statement.compile().params
        found = plan(database, statement, {key: asked[key] for key in known if key in asked})
        assert "Seq Scan" not in found, found
        assert "SCAN report_cell" not in found, found
