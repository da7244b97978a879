"""A database whose deciding clock stands still until it is moved, and whose commits may get lost.

On PostgreSQL a function of our own stands before `pg_catalog`'s `statement_timestamp()`, so that
every statement is the desk's own, word for word, and sees the time that we say.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import event

from webapp.domain.times import SECOND
from webapp.store.engine import Database

T = TypeVar("T")

START = 1_800_000_000 * SECOND
"""Where each history begins, UTC microseconds."""

_STOP = (
    "CREATE SCHEMA stopped",
    "CREATE TABLE stopped.clock AS SELECT timestamptz 'epoch' AS at",
    """CREATE FUNCTION stopped.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT at FROM stopped.clock'""",
    """DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || quote_ident(current_database())
    || ' SET search_path = stopped, public, pg_catalog'; END $$""",
)
_SET = "UPDATE stopped.clock SET at = timestamptz 'epoch' + %s * interval '1 microsecond'"


class StoppedDatabase(Database):
    """The store on a stopped clock. `now()` is the same on both databases, and exact."""

    def __init__(self, url: str) -> None:
        self.at = START
        super().__init__(url, clock=lambda: self.at)
        self.loses = False
        """Whether the answer to the next commit is lost: the work runs again, as it would."""

    def now(self) -> int:
        return self.at

    def set(self, at: int) -> None:
        """The time is `at`."""
        self.at = at
        if self.dialect == "postgresql":
            with self.connection() as conn:
                conn.exec_driver_sql(_SET, (at,))

    def _again(self, attempt: Callable[[], T]) -> T:
        if self.loses:
            self.loses = False
            attempt()
        return super()._again(attempt)


@contextmanager
def stopped(url: str) -> Iterator[StoppedDatabase]:
    """The migrated database at `url`, with its clock at START."""
    db = Database(url)
    if db.dialect == "postgresql":
        with db.connection() as conn:
            for statement in _STOP:
                conn.exec_driver_sql(statement)
    db.close()
    store = StoppedDatabase(url)
    if store.dialect == "sqlite":
        event.listen(store._auto, "connect", _forget_the_disk)
    store.set(START)
    try:
        yield store
    finally:
        store.close()


def _forget_the_disk(raw: Any, _: object) -> None:
    """No power is cut here, and thousands of commits are made."""
    raw.execute("PRAGMA synchronous=OFF")
