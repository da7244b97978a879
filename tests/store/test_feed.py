"""The feed's questions stay cheap however many rows there are: each has its index."""

import re
from typing import Any

import pytest
from sqlalchemy import Select

from webapp.store import actions, dependants, feed, feed_sources
from webapp.store.engine import Database

QUESTIONS = {
    **{source.name: (source.of(), source.index) for source in feed_sources.SOURCES},
    "rows": (actions._BY_IDS.statement, "action"),
    "around": (feed._AROUND.statement, "ix_action_again_of"),
    "links": (actions._LINKS.statement, "ix_action_compensates"),
    "below": (dependants.BELOW.statement, "ix_dependency_parent"),
    "above": (dependants.ABOVE.statement, "dependency"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_has_its_index(database: Database, name: str) -> None:
    """graphile/worker#274: fetching slowed as finished and future rows grew."""
    query, index = QUESTIONS[name]
    found = _plan(database, query)
    # where there is next to nothing, PostgreSQL may take another index; among many: test_plans.py
    other = database.dialect == "postgresql" and "Seq Scan" not in found
    assert index in found or other, found


def _plan(database: Database, query: Any) -> str:
    ids = ["a", "b"] if database.dialect == "postgresql" else '["a", "b"]'
    values = {"b_limit": 200, "b_since": 1, "b_lately": 1, "b_levels": 21, "ids": ids}
    with database.connection() as conn:
        compiled = query.params({k: v for k, v in values.items() if k in _names(query)}).compile(
            dialect=conn.dialect, compile_kwargs={"literal_binds": True, "render_postcompile": True}
        )
        if database.dialect == "postgresql":
            conn.exec_driver_sql("BEGIN")
            # a table this small would be read whole, and its plan would be an accident
            conn.exec_driver_sql("SET LOCAL enable_seqscan = off")
            conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
            conn.exec_driver_sql(
                "INSERT INTO dependency SELECT 'c-' || n, 'p-' || n FROM generate_series(1, 5000) n"
            )
            conn.exec_driver_sql("ANALYZE dependency")
            rows = conn.exec_driver_sql(f"EXPLAIN {compiled}")
            text = "\n".join(row[0] for row in rows)
            conn.exec_driver_sql("ROLLBACK")
            return text
        rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}")
        text = "\n".join(row[-1] for row in rows)
        for line in text.splitlines():
            assert not re.match("SCAN (action|dependency)(?! USING)", line), text
        return text


def _names(query: Select[Any]) -> set[str]:
    return set(query.compile().params)
