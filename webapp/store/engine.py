"""The database: how it is opened, read and written, on SQLite and PostgreSQL."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    FromClause,
    bindparam,
    create_engine,
    event,
    make_url,
    select,
)
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from webapp.domain.errors import Unavailable
from webapp.failpoints import AFTER_COMMIT, BEFORE_COMMIT, reach
from webapp.store.wakeup import NOTHING, Wakeup

T = TypeVar("T")
AnyRow: TypeAlias = Any
"""A result row: SQLAlchemy's own type would have to name every column's."""
Clock = Callable[[], int]
"""UTC microseconds now."""

_BUSY_MS = 10_000
_POOL_TIMEOUT = 5
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
        self.due = NOTHING
        self.did: tuple[str, ...] = ()
        self._now = clock() if self.dialect == "sqlite" else None

    def params(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values`, and the time for statements that use `NOW` where it has to be bound."""
        return {**values} if self._now is None else {**values, "now": self._now}

    def now(self) -> int:
        """The deciding clock."""
        return self._now if self._now is not None else self.conn.scalar(select(NOW)) or 0

    def does(self, what: str) -> None:
        """Names its commit for failpoints: `draft`, `claim` and the like."""
        self.did += (what,)

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
            self._auto = self._writing = _open_sqlite(url)
            # One writer at a time per process: SQLite lets the others starve on its own lock.
            self._write_lock: Any = threading.Lock()
        else:
            self._auto, self._writing = _open_postgresql(url)
            self._write_lock = nullcontext()
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

    def close(self) -> None:
        """Close every connection."""
        self.wakeup.stop()
        self._auto.dispose()
        self._writing.dispose()

    def _once(self, work: Callable[[Tx], T]) -> T:
        with self._write_lock, self._writing.connect() as conn:
            if self.dialect == "sqlite":
                conn.exec_driver_sql("BEGIN IMMEDIATE")
            tx = Tx(conn, self._clock)
            result = work(tx)
            for what in tx.did:
                reach(what, BEFORE_COMMIT)
            conn.commit()
            for what in tx.did:
                reach(what, AFTER_COMMIT)
        self.wakeup.poke(tx.due)
        return result

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


def sqlite_module() -> ModuleType:
    """The SQLite driver: the wheel with a sound WAL where it can be had, else Python's own."""
    try:
        import pysqlite3
    except ImportError:
        import sqlite3

        return sqlite3
    module: ModuleType = pysqlite3
    return module


def wal_is_sound(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is free of the WAL corruption of 3.7.0 to 3.51.2.

    Source: sqlite.org/wal.html, "The WAL-reset bug".
    """
    return version > (3, 51, 2) or version in ((3, 44, 6), (3, 50, 7))


class _Hinting(SQLiteCompiler):
    """Writes `with_hint(…, "INDEXED BY …", "sqlite")`, which SQLAlchemy leaves out."""

    def get_from_hint_text(self, table: FromClause, text: str | None) -> str | None:
        del table
        return text


def _open_sqlite(url: str) -> Engine:
    module = sqlite_module()
    if file := make_url(url).database:
        Path(file).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = "WAL" if wal_is_sound(module.sqlite_version_info) else "DELETE"
    engine = create_engine(
        url,
        module=module,
        isolation_level="AUTOCOMMIT",
        pool_size=32,
        max_overflow=64,
        pool_timeout=_POOL_TIMEOUT,
        connect_args={"check_same_thread": False},
    )
    engine.dialect.statement_compiler = _Hinting

    @event.listens_for(engine, "connect")
    def _prepare(raw: Any, _: object) -> None:
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        _set_journal(cursor, journal)
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    return engine


def _set_journal(cursor: Any, journal: str) -> None:
    """Two processes that open a new file at once: SQLite's busy handler is not asked here."""
    give_up = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            cursor.execute(f"PRAGMA journal_mode={journal}")
            return
        except sqlite_module().OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _open_postgresql(url: str) -> tuple[Engine, Engine]:
    prepared = {"prepare_threshold": 1, "options": "-c timezone=UTC"}
    alone = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,
        pool_size=16,
        max_overflow=16,
        pool_timeout=_POOL_TIMEOUT,
        connect_args=prepared,
    )
    transactions = create_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_size=8,
        max_overflow=16,
        pool_timeout=_POOL_TIMEOUT,
        connect_args=prepared,
    )
    return alone, transactions
