"""The ledger's connection: a SQLite that can be trusted with WAL, if there is one."""

import sqlite3 as standard
import time
from pathlib import Path
from types import ModuleType

sqlite3: ModuleType = standard
try:
    from pysqlite3 import dbapi2

    sqlite3 = dbapi2
except ImportError:  # no wheel for this platform
    pass


def connect(path: Path, schema: str, busy_seconds: float) -> standard.Connection:
    """An autocommit connection that any thread may use, one at a time; the schema stands.

    Waits up to `busy_seconds` for other writers, then raises OperationalError.

    `synchronous=NORMAL`, unlike the desk's own database: a kill loses nothing, and a power cut may
    lose the last effects of a provider that moves no money. An insert is then free of fsync.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Customers' data: not for other users of the host. What SQLite puts beside it follows.
    if not path.exists():
        path.touch(mode=0o600)
    connection: standard.Connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        _set_journal(connection, time.monotonic() + busy_seconds)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.executescript(f"BEGIN IMMEDIATE; {schema} COMMIT;")
    except BaseException:
        connection.close()
        raise
    return connection


def _set_journal(connection: standard.Connection, give_up: float) -> None:
    mode = "WAL" if _wal_is_safe(sqlite3.sqlite_version_info) else "TRUNCATE"
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode={mode}")
        except sqlite3.OperationalError:
            # Two processes that open a new file at once: SQLite does not wait at this one step.
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


def _wal_is_safe(version: tuple[int, ...]) -> bool:
    """3.7.0 to 3.51.2 can corrupt a WAL file that two connections write and checkpoint."""
    return version > (3, 51, 2) or version in ((3, 44, 6), (3, 50, 7))
