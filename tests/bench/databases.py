"""Databases as durable as their defaults make them, and many rows that wait in them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fixtures.databases import migrate
from tests.fixtures.postgres import running_postgres
from webapp.config import Settings
from webapp.services import settings as policies
from webapp.services.desk import Desk
from webapp.store.engine import Database

BACKENDS = ("sqlite", "postgresql")
FIRST_PENDING = 6 * 3_600_000_000
"""The nearest pending row is due this much later, microseconds: none becomes due in a run."""
_PENDING_EVERY = 50_000

_COLUMNS = (
    "id, kind, state, summary, reason, payload, payload_hash, amount_value, amount_currency, "
    "customer, customer_ref, order_ref, agent, drafted_by, drafted_at, draft_key, draft_hash, "
    '"window", margin, cancel_by, execute_at, claimable_at, decision, state_by'
)
_VALUES = """
    {id}, 'refund', 'scheduled', 'Torn cover, photo attached', 'the policy allows it',
    '{{"amount":{{"currency":"INR","value":1250}},"payment":"pi","reason":""}}', {hash}, 1250,
    'INR', '{{"ref":"c"}}', {customer}, {order}, 'bench', 'agent:bench', {now}, {key}, {hash},
    300000000, 1000000, {due} - 1000000, {due}, {due}, '{{"because":[],"mode":"window"}}', 'policy'
"""
# Differs because PostgreSQL has generate_series and SQLite counts by a recursive CTE.
_NUMBERS = {
    "postgresql": "SELECT generate_series({low}::bigint, {high}::bigint) AS n",
    "sqlite": "SELECT {low} AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < {high}",
}
_HEX = {
    "postgresql": "lpad(to_hex(n), {width}, '0')",
    "sqlite": "printf('%0{width}x', n)",
}
_TEXT = "CAST(n AS text)"


@contextmanager
def fresh(backend: str) -> Iterator[str]:
    """The URL of a new, migrated database whose commits are durable, until the block ends."""
    if backend == "sqlite":
        with tempfile.TemporaryDirectory(prefix="undo-desk-bench-") as folder:
            url = f"sqlite:///{Path(folder) / 'desk.db'}"
            migrate(url)
            yield url
        return
    with running_postgres() as server:
        url = server.url(server.create())
        migrate(url)
        yield url


@contextmanager
def opened(url: str, **policy: str) -> Iterator[Desk]:
    """A desk of this process on `url`, its refunds under `policy`."""
    desk = Desk(Database(url), Settings(database_url=url))
    try:
        if policy:
            policies.change(desk, "refund", policy, "bench")
        yield desk
    finally:
        desk.db.close()


def fill(desk: Desk, low: int, high: int) -> None:
    """Rows `low` to `high` (numbers), scheduled for hours from now, each with its event."""
    if high < low:
        return
    dialect = desk.db.dialect
    numbers = f"WITH RECURSIVE numbers AS ({_NUMBERS[dialect].format(low=low, high=high)})"
    wide = _HEX[dialect].format(width=64)
    values = _VALUES.format(
        id=f"{_HEX[dialect].format(width=8)} || '-0000-7000-8000-000000000000'",
        hash=wide,
        customer=f"'c-' || {_TEXT}",
        order=f"'o-' || {_TEXT}",
        key=f"'bench-' || {_TEXT}",
        now=desk.now(),
        due=f"({desk.now() + FIRST_PENDING} + n * {_PENDING_EVERY})",
    )
    into = f"INSERT INTO action ({_COLUMNS}) {numbers}"
    event = "action, kind, verb, to_state, at, actor, data"
    drafted = "SELECT id, kind, 'drafted', state, drafted_at, drafted_by, '{}' FROM action"
    with desk.db.connection() as conn:
        if dialect == "sqlite":
            conn.exec_driver_sql("BEGIN IMMEDIATE")
        conn.exec_driver_sql(f"{into} SELECT {values} FROM numbers")
        conn.exec_driver_sql(
            f"INSERT INTO event ({event}) {drafted} WHERE id > '{low:08x}-' AND id < '{high:08x}.'"
        )
        conn.commit()
    settle(desk)


def settle(desk: Desk) -> None:
    """Statistics as a desk that has run for a while has them, and no checkpoint outstanding."""
    with desk.db.connection() as conn:
        if desk.db.dialect == "sqlite":
            conn.exec_driver_sql("ANALYZE")
            conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            conn.exec_driver_sql("VACUUM (ANALYZE)")
            conn.exec_driver_sql("CHECKPOINT")
