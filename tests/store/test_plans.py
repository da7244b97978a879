"""The claim stays flat as rows pile up: an index serves it among 200,000 others.

CASES graphile/worker#274: fetching slowed as future and finished rows grew.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from sqlalchemy import text

from tests.store.rows import LEASE, claim_all, put
from webapp.domain.filters import parse
from webapp.domain.times import SECOND
from webapp.store import approvals, feed_sources, overdue
from webapp.store.batches import CLAIM, NEXT_DUE, OLDEST_OVERDUE
from webapp.store.engine import Database
from webapp.store.filtering import conditions
from webapp.store.schema import action

MANY = 100_000
INDEX = "ix_action_claimable"


def _copies(db: Database, finished: bool) -> str:
    """Insert MANY copies of the one row there is: due in the future, or finished."""
    numbers = (
        f"SELECT generate_series(1::bigint, {MANY}) AS n"
        if db.dialect == "postgresql"
        else f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {MANY}) "
        "SELECT n FROM s"
    )
    # One in twenty waits for a person: what is open is more than what could be claimed.
    open_state = "CASE WHEN numbers.n % 20 = 0 THEN 'unknown' ELSE 'scheduled' END"
    past = f"execute_at - {600 * SECOND} - numbers.n * 1000"
    later = f"execute_at + {3_600 * SECOND} + numbers.n * {SECOND}"
    future = f"CASE WHEN numbers.n % 20 = 0 THEN {past} ELSE {later} END"
    changed = {
        "id": "'f' || numbers.n" if finished else "'w' || numbers.n",
        "draft_key": "NULL",
        "execute_at": past if finished else future,
        "state": "'rejected'" if finished else open_state,
        "finished_at": "numbers.n" if finished else "NULL",
    }
    names = [f'"{column.name}"' for column in action.c]
    values = [changed.get(column.name, f'action."{column.name}"') for column in action.c]
    return (
        f"INSERT INTO action ({', '.join(names)}) SELECT {', '.join(values)} "
        f"FROM action, ({numbers}) AS numbers WHERE action.id = :model"
    )


@pytest.fixture(scope="module")
def crowded(new_database: Callable[[str], str]) -> Any:
    """One due row among MANY future and MANY finished ones, on each database."""
    made: dict[str, Database] = {}

    def get(backend: str) -> Database:
        if backend not in made:
            db = made[backend] = Database(new_database(backend))
            model = put(db, due=-SECOND)
            with db.connection() as conn:
                if backend == "postgresql":
                    conn.execute(text("SET session_replication_role = replica"))
                else:
                    conn.execute(text("DROP TRIGGER action_first"))
                    conn.execute(text("BEGIN"))
                for finished in (False, True):
                    conn.execute(text(_copies(db, finished)), {"model": model})
                if backend == "sqlite":
                    conn.execute(text("COMMIT"))
                else:
                    conn.execute(text("RESET session_replication_role"))
                conn.execute(text("ANALYZE"))
        return made[backend]

    yield get
    for db in made.values():
        db.close()


def plan(db: Database, statement: Any, params: dict[str, Any]) -> str:
    """What the database says that it would do."""
    with db.read() as tx:
        compiled = statement.compile(tx.conn, compile_kwargs={"render_postcompile": True})
        values = {**compiled.params, **tx.params(params)}
        explain = "EXPLAIN QUERY PLAN " if db.dialect == "sqlite" else "EXPLAIN "
        names = compiled.positiontup
        given = tuple(values[name] for name in names) if names else values
        rows = tx.conn.exec_driver_sql(explain + str(compiled), given).all()
        return "\n".join(str(row[-1]) for row in rows)


def claim_statement(db: Database) -> Any:
    return CLAIM.sqlite if db.dialect == "sqlite" else CLAIM.postgresql


def _too_old(db: Database) -> Any:
    return overdue.SQLITE if db.dialect == "sqlite" else overdue.POSTGRESQL


@pytest.mark.parametrize("name", ["claim", "next due", "oldest overdue", "too old"])
def test_an_index_answers_whatever_else_there_is(crowded: Any, backend: str, name: str) -> None:
    """DESIGN, PostgreSQL claim: a partial index over claimable rows only, on both databases."""
    db = crowded(backend)
    worker = {"p_actor": "w", "p_slots": 16, "p_lease": LEASE}
    statement, params = {
        "claim": (claim_statement(db), worker),
        "next due": (NEXT_DUE, {}),
        "oldest overdue": (OLDEST_OVERDUE, {}),
        "too old": (_too_old(db), {"p_reserve": 0, "p_actor": "policy"}),
    }[name]
    found = plan(db, statement, params)
    assert INDEX in found, found
    for line in found.splitlines():
        assert "Seq Scan on action" not in line, found
        assert not line.startswith("SCAN action") or INDEX in line, found


@pytest.mark.parametrize(
    "statement",
    [approvals._OLDEST, approvals._COUNT, approvals._EXPIRED],
    ids=["queue", "count", "expired"],
)
def test_what_waits_for_approval_is_found_by_an_index(
    crowded: Any, backend: str, statement: Any
) -> None:
    """Every page counts it, and every sweep looks for what has waited for too long."""
    found = plan(crowded(backend), statement, {"b_limit": 100})
    # where hardly any wait, PostgreSQL takes either
    assert "ix_action_asking" in found or "ix_action_approve_by" in found, found
    assert "Seq Scan on action" not in found, found


@pytest.mark.parametrize("source", feed_sources.SOURCES, ids=lambda source: source.name)
@pytest.mark.parametrize(
    "query", ["", "agent=bot", "kind=refund&q=torn", "currency=INR&min=1", "due=60"]
)
def test_a_filtered_feed_keeps_to_its_index(
    crowded: Any, backend: str, source: feed_sources.Source, query: str
) -> None:
    """What is open is read, and not all that an agent ever drafted; behind a page, too."""
    db = crowded(backend)
    asked = parse(parse_qs(query))
    if not source.states & asked.states:
        pytest.skip("it is not read for this")
    wanted = conditions(asked, 1)
    behind = ("held" if source is feed_sources.ASKING else 10**15, "0195")
    for more in ((), (source.behind(behind),)):
        found = _written_out(db, source.of([*wanted, *more]).limit(200), b_since=1, b_lately=1)
        assert source.index in found, found
        assert "Seq Scan on action" not in found, found


def _written_out(db: Database, statement: Any, **values: int) -> str:
    """`plan`, its values in the text: lists and what is not given have none of their own."""
    given = {name: value for name, value in values.items() if name in statement.compile().params}
    with db.read() as tx:
        kwargs = {"literal_binds": True, "render_postcompile": True}
        compiled = statement.params(given).compile(tx.conn, compile_kwargs=kwargs)
        explain = "EXPLAIN QUERY PLAN " if db.dialect == "sqlite" else "EXPLAIN "
        return "\n".join(
            str(row[-1]) for row in tx.conn.exec_driver_sql(explain + str(compiled)).all()
        )


def test_the_one_due_row_is_found_among_them(crowded: Any, backend: str) -> None:
    """The plan is not only quick, it is right."""
    db = crowded(backend)
    assert len(claim_all(db, 16)) == 1
    assert claim_all(db, 16) == []


def claimed_by_old_statistics(db: Database, slots: int) -> tuple[int, str]:
    """How many a claim took of ten where the planner knows of one, and by which plan."""
    put(db)
    with db.connection() as conn:
        conn.execute(text("ANALYZE action"))
    for _ in range(9):
        put(db)
    found = plan(db, claim_statement(db), {"p_actor": "w", "p_slots": slots, "p_lease": LEASE})
    return len(claim_all(db, slots)), found


def test_no_plan_claims_more_than_its_slots(new_database: Callable[[str], str]) -> None:
    """DESIGN, traps: old statistics made others claim all that was due; a batch has its slots."""
    db = Database(new_database("postgresql"))
    taken, found = claimed_by_old_statistics(db, slots=3)
    db.close()
    assert taken == 3, found
