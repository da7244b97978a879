"""How the engines of each database are set up: pools, pragmas, isolation."""

import time
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Engine, FromClause, create_engine, event, make_url
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler

_BUSY_MS = 10_000
_POOL_TIMEOUT = 5
_CHECKPOINT_PAGES = 16_000
"""Pages (64 MB) in the WAL at which a commit moves them itself, which takes it many milliseconds.

By default that is every 1,000, one commit in 50 here. A worker does it beside the commits, every
few seconds (`Database.checkpoint`); this is for where none runs.
"""


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


def open_sqlite(url: str) -> Engine:
    """The pool: each statement commits by itself until it says BEGIN."""
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
        cursor.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
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


def open_postgresql(url: str) -> tuple[Engine, Engine]:
    """Two pools: for statements that commit by themselves, and for transactions."""
    # What the URL asks of the server itself, say a search path, stands.
    asked = make_url(url).query.get("options", "")
    prepared = {"prepare_threshold": 1, "options": f"-c timezone=UTC {asked}".rstrip()}
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
