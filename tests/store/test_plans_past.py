"""What rules ask of the past is found by an index, also where nearly all rows would do.

As `test_plans_waiting`: SQLite counts what LIMIT leaves out, PostgreSQL what statistics say.
"""

from typing import Any

import pytest

from tests.bench.databases import fill, settle
from tests.store.test_plans import plan
from webapp.config import Settings
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import breaker, past
from webapp.store.engine import Database

ROWS = 5_000
_OF_TEN = "UPDATE action SET agent = 'bench-' || substr(customer_ref, length(customer_ref), 1)"
"""So that an agent is one of several, and no index serves by having nothing to leave out."""

STATEMENTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "burst": (past._DRAFTED.statement, ("ix_action_agent",)),
    "spend": (past._SPENT.statement, ("ix_action_agent",)),
    "last decision": (past._LAST_DECISION.statement, ("ix_action_agent",)),
    "duplicate": (past._DUPLICATE.statement, ("ix_action_order",)),
    "firsts": (past._FIRST.statement, ("ix_action_customer", "ix_action_agent")),
    "breaker": (breaker.SCHEDULED, ("ix_action_open",)),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_its_index_answers(database: Database, name: str) -> None:
    desk = Desk(database, Settings())
    fill(desk, 1, ROWS)
    with database.connection() as conn:
        conn.exec_driver_sql(_OF_TEN)
        conn.commit()
    settle(desk)
    statement, indexes = STATEMENTS[name]
    # Half of the rows are older and half are younger than this: no time leaves few of them.
    params = {
        "b_agent": "bench-7",
        "b_kind": "refund",
        "b_since": desk.now() - 60 * SECOND,
        "b_least_id": f"{ROWS // 2:08x}-",
        "b_most": 20,
        "b_currency": "INR",
        "b_value": 1_250,
        "b_order": "o-7",
        "b_ended": 1,
        "b_customer": "c-7",
        "b_id": "0",
    }
    asked = {key: value for key, value in params.items() if key in statement.compile().params}
    found = plan(database, statement, asked)
    assert "Seq Scan on action" not in found, found
    for line in found.splitlines():
        assert not line.startswith("SCAN action") or "USING INDEX" in line, found
    if database.dialect == "sqlite":
        assert all(index in found for index in indexes), found
    else:
        assert "Index" in found, found
