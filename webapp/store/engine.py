"""The database: how it is opened, read and written, on SQLite and PostgreSQL."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    bindparam,
    make_url,
    select,
)
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from webapp.domain.errors import Unavailable
from webapp.failpoints import AFTER_COMMIT, BEFORE_COMMIT, reach
from webapp.store.opening import open_postgresql, open_sqlite
from webapp.store.wakeup import NOTHING, Wakeup

T = TypeVar("T")
AnyRow: TypeAlias = Any
"""A result row: SQLAlchemy's own type would have to name every column's."""
Clock = Callable[[], int]
"""UTC microseconds now."""

_PAUSES = (0.02, 0.2, None)
"""Seconds before each new try of a transaction; None: give up."""
_RETRY_STATES = {"40001", "40P01"}


def host_clock() -> int:
    """The host's clock, UTC microseconds."""
    return time.time_ns() // 1000


def _ticks() -> int:
    """Microseconds that nobody sets."""
    return time.monotonic_ns() // 1000


class _Now(ColumnElement[int]):
    """The deciding clock inside a statement."""

    inherit_cache = True
    # Without its parts named, SQLAlchemy would compile every statement that has it anew.
    _traverse_internals = []  # noqa: RUF012
    type = BigInteger()


@compiles(_Now, "postgresql")
def _now_postgresql(_element: _Now, _compiler: SQLCompiler, **_kw: Any) -> str:
    # statement_timestamp(): now() stands still from BEGIN, and no index serves clock_timestamp().
    return "CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS BIGINT)"


@compiles(_Now)
def _now_bound(_element: _Now, compiler: SQLCompiler, **kw: Any) -> str:
    # + 0: SQLite with statistics plans a statement anew at each run for a bare parameter that it
    # compares with an index (0.3 ms a claim).
    return f"({compiler.process(bindparam('now', type_=BigInteger()), **kw)} + 0)"


NOW = _Now()
"""Differs because PostgreSQL decides by its own clock and SQLite by the host's, bound."""


class Tx:
    """One transaction, or one statement of its own.

    `due` is the earliest `execute_at` that it brings: transitions lower it, and the worker is
    told after the commit.
    """

    def __init__(self, conn: Connection, clock: Clock) -> None:
        self.conn = conn
        self.dialect = conn.dialect.name
        self.driver: Any = conn.connection.driver_connection
        self.due = NOTHING
        self.did: tuple[str, ...] = ()
        self._clock = clock
        self._now = clock() if self.dialect == "sqlite" else None

    def begin(self) -> None:
        """Takes SQLite's write lock. Its time is read then: whoever had it before came earlier."""
        if self.dialect == "sqlite":
            self.run("BEGIN IMMEDIATE")
            self._now = self._clock()

    def run(self, sql: str, arguments: Any = ()) -> Any:
        """One statement on the driver itself; its cursor. Raises as SQLAlchemy would."""
        try:
            return self.driver.execute(sql, arguments)
        except self.conn.dialect.loaded_dbapi.Error as problem:
            raise self._translated(problem, sql) from problem

    def _translated(self, problem: Any, sql: str) -> Any:
        dialect = self.conn.dialect
        lost = dialect.is_disconnect(problem, self.driver, None)
        if lost:
            self.conn.invalidate(problem)
        return DBAPIError.instance(
            sql,
            None,
            problem,
            dialect.loaded_dbapi.Error,
            connection_invalidated=lost,
            dialect=dialect,
        )

    def params(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values`, and the time for statements that use `NOW` where it has to be bound."""
        return {**values} if self._now is None else {**values, "now": self._now}

    def now(self) -> int:
        """The deciding clock."""
        return self._now if self._now is not None else self.conn.scalar(select(NOW)) or 0

    def does(self, what: str) -> None:
        """Names its commit for failpoints: `draft`, `claim` and the like."""
        self.did += (what,)

    def may_be_lost(self) -> None:
        """Its commit need not reach PostgreSQL's disk at once: a crash may undo all of it.

        Only for what would be made again. Whoever commits meanwhile does not wait for its flush.
        """
        if self.dialect == "postgresql":
            self.run("SET LOCAL synchronous_commit = off")

    def brings(self, execute_at: int | None) -> None:
        """A row of this transaction may become due at `execute_at`."""
        if execute_at is not None:
            self.due = min(self.due, execute_at)


class Database:
    """One database, from one process. Thread-safe."""

    def __init__(self, url: str, *, clock: Clock = host_clock) -> None:
        self.url = make_url(url)
        self.dialect = self.url.get_backend_name()
        self._clock = clock
        # Differs because SQLite decides by the host's clock, and PostgreSQL by its own: what is
        # known of that must not jump when the host's is set.
        self._ticks = clock if self.dialect == "sqlite" else _ticks
        self._offset = clock() - self._ticks() if self.dialect != "sqlite" else 0
        if self.dialect == "sqlite":
            self._auto = self._writing = open_sqlite(url)
            # One writer at a time per process: SQLite lets the others starve on its own lock.
            self._write_lock: Any = threading.Lock()
        else:
            self._auto, self._writing = open_postgresql(url)
            self._write_lock = nullcontext()
        self._writer: Connection | None = None
        self.wakeup = Wakeup(self._auto)

    def now(self) -> int:
        """The deciding clock as well as this process knows it, without a round trip."""
        return self._ticks() + self._offset

    def measure_offset(self) -> int:
        """Ask the database's clock and remember it; its offset to the host's, in microseconds."""
        if self.dialect == "postgresql":
            with self.read() as tx:
                samples = []
                for _ in range(5):
                    before = self._ticks()
                    there = tx.now()
                    after = self._ticks()
                    samples.append((after - before, there - (before + after) // 2))
            self._offset = min(samples)[1]
        return self.now() - self._clock()

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Statements that each see the newest committed rows. Raises Unavailable."""
        with self._translated(), self._auto.connect() as conn:
            yield Tx(conn, self._clock)

    def transact(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in one transaction and wake who waits. Raises Unavailable.

        After a deadlock or a lost connection, in COMMIT too, `work` runs again: it must recognise
        what its first run has committed, by the action's id or the request's key.
        """
        return self._again(lambda: self._once(work))

    def statement(self, work: Callable[[Tx], T], *, does: str = "") -> T:
        """Like `transact` for work that is a single statement: one round trip on PostgreSQL.

        `does` is what it tells its `Tx` that it did: here the commit comes with the statement.
        """
        if self.dialect == "sqlite":
            return self.transact(work)
        return self._again(lambda: self._alone(work, does))

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A bare connection, for migrations and look-ups of the database itself."""
        with self._translated(), self._auto.connect() as conn:
            yield conn

    def checkpoint(self) -> None:
        """SQLite: move what the WAL holds into the file, beside those who write. Else nothing."""
        if self.dialect == "sqlite":
            with self.read() as tx:
                tx.run("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close every connection."""
        self.wakeup.stop()
        with self._write_lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
        self._auto.dispose()
        self._writing.dispose()

    def _once(self, work: Callable[[Tx], T]) -> T:
        with self._write_lock, self._transaction() as conn:
            tx = Tx(conn, self._clock)
            tx.begin()
            result = work(tx)
            for what in tx.did:
                reach(what, BEFORE_COMMIT)
            conn.commit()
            for what in tx.did:
                reach(what, AFTER_COMMIT)
        self.wakeup.poke(tx.due)
        return result

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """A connection whose next commit is the transaction's; without one it is rolled back."""
        conn = self._writer or self._writing.connect()
        # Differs because SQLite has one writer at a time, under our lock: it keeps its connection.
        self._writer = None
        try:
            conn.begin()
            yield conn
        except BaseException:
            conn.close()
            raise
        if self.dialect == "sqlite":
            self._writer = conn
        else:
            conn.close()

    def _alone(self, work: Callable[[Tx], T], does: str) -> T:
        with self._auto.connect() as conn:
            tx = Tx(conn, self._clock)
            reach(does, BEFORE_COMMIT)
            result = work(tx)
            for what in tx.did:
                reach(what, AFTER_COMMIT)
        self.wakeup.poke(tx.due)
        return result

    def _again(self, attempt: Callable[[], T]) -> T:
        for pause in _PAUSES:
            try:
                return attempt()
            except PoolTimeout as problem:
                raise Unavailable("Every database connection is busy.") from problem
            except DBAPIError as problem:
                if not _passing(problem):
                    raise
                if pause is None or self.dialect == "sqlite":
                    raise Unavailable(_plain(problem)) from problem
            time.sleep(pause)
        raise AssertionError("unreachable")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeout as problem:
            raise Unavailable("Every database connection is busy.") from problem
        except DBAPIError as problem:
            if _passing(problem):
                raise Unavailable(_plain(problem)) from problem
            raise


def _passing(problem: DBAPIError) -> bool:
    """Whether the fault is the database's state, not the statement's."""
    state = getattr(problem.orig, "sqlstate", None)
    if state is not None and not problem.connection_invalidated:
        # Classes 53 (resources), 57 (operator intervention), 58 (system), 08 (connection), 25006.
        return state in _RETRY_STATES or state[:2] in {"08", "53", "57", "58"} or state == "25006"
    return problem.connection_invalidated or isinstance(problem, OperationalError | InterfaceError)


def _plain(problem: DBAPIError) -> str:
    return f"The database cannot commit now ({str(problem.orig).splitlines()[0]})."
