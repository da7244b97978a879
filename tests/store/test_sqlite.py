"""How SQLite is opened, and that its one write lock reaches nobody."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.store.rows import ANA, put, states
from tests.store.together import begin_together
from webapp.domain.errors import Unavailable
from webapp.store import opening, transitions
from webapp.store.engine import Database, Tx
from webapp.store.opening import sqlite_module, wal_is_sound
from webapp.store.schema import action

WRITERS, PAIRS = 8, 8


def pragma(db: Database, name: str) -> Any:
    with db.connection() as conn:
        return conn.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_every_connection_is_durable_and_strict(sqlite_url: str) -> None:
    """DESIGN, SQLite: `busy_timeout`, `foreign_keys`, `synchronous=FULL`, WAL where it is sound."""
    db = Database(sqlite_url)
    sound = wal_is_sound(sqlite_module().sqlite_version_info)
    for _ in range(2):
        assert pragma(db, "journal_mode") == ("wal" if sound else "delete")
        assert pragma(db, "synchronous") == 2
        assert pragma(db, "foreign_keys") == 1
        assert pragma(db, "busy_timeout") >= 5_000
    db.close()


def test_the_driver_is_the_wheel_where_there_is_one(sqlite_url: str) -> None:
    """DESIGN: pysqlite3 with a sound WAL; else the standard library's module."""
    pysqlite3 = pytest.importorskip("pysqlite3")
    assert sqlite_module() is pysqlite3
    assert wal_is_sound(pysqlite3.sqlite_version_info)
    db = Database(sqlite_url)
    with db.connection() as conn:
        assert isinstance(conn.connection.driver_connection, pysqlite3.Connection)
    db.close()


@pytest.mark.parametrize(
    ("version", "sound"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 0), False),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 53, 4), True),
        ((4, 0, 0), True),
    ],
)
def test_wal_is_used_only_where_it_is_sound(version: tuple[int, ...], sound: bool) -> None:
    """DESIGN: 3.7.0-3.51.2 can corrupt a WAL database, but for 3.44.6 and 3.50.7."""
    assert wal_is_sound(version) is sound


def test_an_affected_version_uses_a_rollback_journal(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN: the standard library's module serves, on an affected version without WAL."""
    monkeypatch.setattr(opening, "wal_is_sound", lambda _version: False)
    db = Database(sqlite_url)
    assert pragma(db, "journal_mode") == "delete"
    put(db)
    db.close()


def test_no_busy_error_reaches_a_caller_under_eight_writers(sqlite_url: str) -> None:
    """CASES rails/solid_queue#309: "database is locked" lost enqueues."""
    begin_together(WRITERS, "tests.store.writing", sqlite_url, str(PAIRS))
    db = Database(sqlite_url)
    with db.read() as tx:
        made = select(func.count()).where(action.c.state == "cancelled")
        assert tx.conn.scalar(made) == WRITERS * PAIRS
    db.close()


def test_a_reader_sees_the_last_commit_while_a_writer_works(sqlite_url: str) -> None:
    """DESIGN: reads don't begin immediate transactions: a long write stops no screen."""
    db = Database(sqlite_url)
    one = put(db)

    def work(tx: Tx) -> list[str]:
        transitions.cancel(tx, one, ANA, "k")
        return states(db, one)

    assert db.transact(work) == ["scheduled"]
    assert states(db, one) == ["cancelled"]
    db.close()


def test_a_lock_that_never_ends_is_said(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 11: where the database can't commit, it says so, and nothing is lost."""
    monkeypatch.setattr(opening, "_BUSY_MS", 50)
    db, other = Database(sqlite_url), Database(sqlite_url)
    one = put(db)
    with other.connection() as conn:
        conn.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable):
            db.transact(lambda tx: transitions.cancel(tx, one, ANA, "k"))
        conn.exec_driver_sql("ROLLBACK")
    assert db.transact(lambda tx: transitions.cancel(tx, one, ANA, "k")) is not None
    other.close()
    db.close()


def test_the_time_is_read_once_the_lock_is_held(sqlite_url: str) -> None:
    """Promise 1: a cancel that waited for the claim knows by how much it was too late."""
    db, other = Database(sqlite_url), Database(sqlite_url)
    began, ended = threading.Event(), []

    def slow(tx: Tx) -> None:
        began.set()
        time.sleep(0.2)
        ended.append(db.now())

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(other.transact, slow)
        began.wait(10)
        then = db.transact(lambda tx: tx.now())
        first.result(10)
    assert then >= ended[0]
    db.close()
    other.close()
