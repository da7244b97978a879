"""The bare loop: a job table and hand-written SQL on the raw driver, nothing else.

No events, no effect, no fences, no HTTP: the practical limit that our figures are held against.
`Bare` is one connection; its job is a row of id, state, due time and payload.
"""

import time
from collections.abc import Sequence
from typing import Any, Protocol

import psycopg

from webapp.store.opening import sqlite_module

PAYLOAD = '{"amount":{"currency":"INR","value":1250},"payment":"pi","reason":"torn"}'
_LONGEST_WAIT = 0.2

Taken = tuple[int, int]
"""Id and due time of a claimed job."""


class Bare(Protocol):
    """What both databases can."""

    def fill(self, low: int, high: int, due: int) -> None:
        """Jobs with these numbers that wait, from `due` on."""

    def insert(self, job: int, due: int) -> None:
        """One job, in one transaction."""

    def add(self, jobs: Sequence[tuple[int, int]]) -> None:
        """Jobs by id and due time, in one transaction."""

    def claim(self, limit: int) -> list[Taken]:
        """Due jobs, now running."""

    def finish(self, ids: Sequence[int]) -> None:
        """They are done."""

    def cancel(self, job: int) -> bool:
        """Whether it still waited."""

    def next_due(self) -> int | None:
        """The soonest of those that wait."""

    def wait(self, seconds: float) -> None:
        """Until then, or until it hears of a new job."""

    def close(self) -> None:
        """Ends the connection."""


def connect(url: str) -> Bare:
    """To the same database as the desk, in a table of its own."""
    return BareSqlite(url) if url.startswith("sqlite") else BarePostgresql(url)


class BareSqlite:
    """pysqlite3, WAL, `synchronous=FULL`."""

    def __init__(self, url: str) -> None:
        file = url.removeprefix("sqlite:///")
        self._db: Any = sqlite_module().connect(file, isolation_level=None)
        for pragma in ("busy_timeout=10000", "journal_mode=WAL", "synchronous=FULL"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS bare "
            "(id INTEGER PRIMARY KEY, state TEXT NOT NULL, due INTEGER NOT NULL, payload TEXT)"
        )
        self._db.execute(
            "CREATE INDEX IF NOT EXISTS bare_due ON bare (due) WHERE state = 'waiting'"
        )

    def fill(self, low: int, high: int, due: int) -> None:
        self._db.execute(
            "INSERT INTO bare WITH RECURSIVE n(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM n "
            "WHERE n < ?) SELECT n, 'waiting', ? + n * 50000, ? FROM n",
            (low, high, due, PAYLOAD),
        )
        self._db.execute("ANALYZE")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def insert(self, job: int, due: int) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO bare VALUES (?, 'waiting', ?, ?)", (job, due, PAYLOAD))
        self._db.execute("COMMIT")

    def add(self, jobs: Sequence[tuple[int, int]]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(f"INSERT INTO bare VALUES (?, 'waiting', ?, '{PAYLOAD}')", jobs)
        self._db.execute("COMMIT")

    def claim(self, limit: int) -> list[Taken]:
        self._db.execute("BEGIN IMMEDIATE")
        taken: list[Taken] = self._db.execute(
            "UPDATE bare SET state = 'running' WHERE id IN (SELECT id FROM bare "
            "WHERE state = 'waiting' AND due <= ? ORDER BY due LIMIT ?) RETURNING id, due",
            (time.time_ns() // 1000, limit),
        ).fetchall()
        self._db.execute("COMMIT")
        return taken

    def finish(self, ids: Sequence[int]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        marks = ",".join("?" * len(ids))
        self._db.execute(f"UPDATE bare SET state = 'done' WHERE id IN ({marks})", list(ids))
        self._db.execute("COMMIT")

    def cancel(self, job: int) -> bool:
        self._db.execute("BEGIN IMMEDIATE")
        update = "UPDATE bare SET state = 'off' WHERE id = ? AND state = 'waiting' RETURNING id"
        found = self._db.execute(update, (job,)).fetchall()
        self._db.execute("COMMIT")
        return bool(found)

    def next_due(self) -> int | None:
        query = "SELECT due FROM bare WHERE state = 'waiting' ORDER BY due LIMIT 1"
        row = self._db.execute(query).fetchone()
        return None if row is None else int(row[0])

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        self._db.close()


class BarePostgresql:
    """psycopg, autocommit, SKIP LOCKED, LISTEN while it waits."""

    def __init__(self, url: str) -> None:
        plain = url.replace("postgresql+psycopg:", "postgresql:")
        self._db = psycopg.connect(plain, autocommit=True, prepare_threshold=1)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS bare "
            "(id BIGINT PRIMARY KEY, state TEXT NOT NULL, due BIGINT NOT NULL, payload TEXT)"
        )
        self._db.execute(
            "CREATE INDEX IF NOT EXISTS bare_due ON bare (due) WHERE state = 'waiting'"
        )
        self._db.execute("LISTEN bare")

    def fill(self, low: int, high: int, due: int) -> None:
        self._db.execute(
            "INSERT INTO bare SELECT n, 'waiting', %s + n * 50000, %s "
            "FROM generate_series(%s::bigint, %s::bigint) AS n",
            (due, PAYLOAD, low, high),
        )
        self._db.execute("VACUUM (ANALYZE) bare")
        self._db.execute("CHECKPOINT")

    def insert(self, job: int, due: int) -> None:
        self._db.execute("INSERT INTO bare VALUES (%s, 'waiting', %s, %s)", (job, due, PAYLOAD))

    def add(self, jobs: Sequence[tuple[int, int]]) -> None:
        ids, times = [job for job, _ in jobs], [due for _, due in jobs]
        self._db.execute(
            "INSERT INTO bare SELECT id, 'waiting', due, %s "
            "FROM unnest(%s::bigint[], %s::bigint[]) AS j (id, due)",
            (PAYLOAD, ids, times),
        )

    def claim(self, limit: int) -> list[Taken]:
        return self._db.execute(
            "WITH due AS MATERIALIZED (SELECT id FROM bare WHERE state = 'waiting' AND due <= "
            "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint "
            "ORDER BY due LIMIT %s FOR UPDATE SKIP LOCKED) "
            "UPDATE bare SET state = 'running' WHERE id = ANY(ARRAY(SELECT id FROM due)) "
            "RETURNING id, due",
            (limit,),
        ).fetchall()

    def finish(self, ids: Sequence[int]) -> None:
        self._db.execute("UPDATE bare SET state = 'done' WHERE id = ANY(%s)", (list(ids),))

    def cancel(self, job: int) -> bool:
        update = "UPDATE bare SET state = 'off' WHERE id = %s AND state = 'waiting'"
        return self._db.execute(update, (job,)).rowcount == 1

    def next_due(self) -> int | None:
        query = "SELECT due FROM bare WHERE state = 'waiting' ORDER BY due LIMIT 1"
        row = self._db.execute(query).fetchone()
        return None if row is None else int(row[0])

    def wait(self, seconds: float) -> None:
        for _ in self._db.notifies(timeout=seconds, stop_after=1):
            pass

    def close(self) -> None:
        self._db.close()


def run(ready: Any, stop: Any, url: str) -> list[float]:
    """Claims what is due until stopped; how late each job was taken, in ms."""
    bare = connect(url)
    late: list[float] = []
    ready.set()
    while not stop.is_set():
        taken = bare.claim(16)
        now = time.time_ns()
        late.extend((now / 1000 - due) / 1000 for _, due in taken)
        if taken:
            bare.finish([job for job, _ in taken])
        due = bare.next_due()
        left = _LONGEST_WAIT if due is None else due / 1e6 - time.time()
        if left > 0:
            bare.wait(min(left, _LONGEST_WAIT))
    bare.close()
    return late
