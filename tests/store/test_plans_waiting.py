"""What is due next is found by its index also where nearly all rows wait, and statistics say so.

SQLite counts what LIMIT leaves out: it scanned the table, 55 ms at 100,000 rows.
"""

from typing import Any

import pytest

from tests.bench.databases import fill
from tests.store.test_plans import claim_statement, plan
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store.batches import NEXT_DUE, OLDEST_OVERDUE
from webapp.store.engine import Database

ROWS = 5_000
ORDERED = ("ix_action_claimable", "ix_action_open")
"""Both have `execute_at, id`; where all rows wait, PostgreSQL takes either."""
LATER = 48 * 3_600_000_000
"""By then all of them are due."""


@pytest.mark.parametrize("name", ["claim", "next due", "oldest overdue"])
def test_its_index_answers(database: Database, name: str) -> None:
    fill(Desk(database, Settings()), 1, ROWS)
    due: dict[str, Any] = {"now": database.now() + LATER}
    worker = {"p_actor": "w", "p_slots": 16, "p_lease": 60_000_000}
    statement, params = {
        "claim": (claim_statement(database), worker),
        "next due": (NEXT_DUE, {}),
        "oldest overdue": (OLDEST_OVERDUE, {}),
    }[name]
    found = plan(database, statement, params | due if database.dialect == "sqlite" else params)
    assert any(index in found for index in ORDERED), found
    assert "Seq Scan on action" not in found, found
