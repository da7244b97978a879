"""What a signal or a flag touches is found by indexes, not by reading all that is scheduled."""

from typing import Any

import pytest

from tests.bench.databases import fill
from tests.store.test_plans import plan
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store import holding, signals
from webapp.store.engine import Database
from webapp.store.holding import Sweep

ROWS = 5_000
_BOTH = {"b_customer": "c-7", "b_order": "o-8"}
_CAUSE = {"p_by": "b", "p_why": "w", "p_reserve": 0, "p_actor": "a", "p_data": "{}"}


def statement(db: Database, sweep: Sweep) -> Any:
    return sweep._sqlite if db.dialect == "sqlite" else sweep._postgresql


@pytest.mark.parametrize("name", ["touched", "customer", "waiting", "found"])
def test_an_index_answers(database: Database, name: str) -> None:
    fill(Desk(database, Settings()), 1, ROWS)
    statements: dict[str, tuple[Any, dict[str, Any]]] = {
        "touched": (statement(database, holding._TOUCHED), _BOTH | _CAUSE),
        "customer": (statement(database, holding._CUSTOMER), {"b_customer": "c-7"} | _CAUSE),
        "waiting": (statement(database, signals._MARK), _BOTH | _CAUSE),
        "found": (signals._FOUND, _BOTH | {"p_lately": 1}),
    }
    asked, params = statements[name]
    found = plan(database, asked, params)
    assert "ix_action_customer" in found, found
    if name != "customer":
        assert "ix_action_order" in found, found
    assert "Seq Scan on action" not in found, found
    assert "SCAN action" not in found, found
