"""The sandbox's ledger: one row an effect, in a SQLite file of its own.

Used by many threads and several processes. Within a process one connection under a lock: SQLite
lets one writer in anyway, and its busy handler would sleep where the lock wakes.
"""

import json
import os
import sqlite3 as standard
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.connectors.sandbox.faults import Fault
from webapp.connectors.sandbox.sqlite import connect, sqlite3

BUSY_SECONDS = 10.0
"""How long to wait for other writers."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS effects (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    provider_id TEXT NOT NULL UNIQUE,
    action_id TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    settled_at INTEGER NOT NULL CHECK (settled_at >= happened_at),
    reverses TEXT REFERENCES effects (provider_id)
);
CREATE INDEX IF NOT EXISTS effects_reverses ON effects (reverses) WHERE reverses IS NOT NULL;
CREATE TABLE IF NOT EXISTS planned_faults (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    fault TEXT NOT NULL,
    times INTEGER NOT NULL CHECK (times > 0)
);
"""
_ENTRIES = """
SELECT e.*, by.key AS reversed_by FROM effects AS e
LEFT JOIN effects AS by ON by.number =
    (SELECT min(number) FROM effects WHERE reverses = e.provider_id)
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One effect, as `undo-desk sandbox show --json` prints it."""

    key: str
    kind: str
    payload: dict[str, Any]
    provider_id: str
    action_id: str
    at: int
    """UTC microseconds."""
    settled_at: int
    reverses: str | None
    """The provider id of what this took back (or corrected)."""
    reversed_by: str | None
    """The key of the first effect that took this back (or corrected it)."""

    def status(self, now: int) -> str:
        """`submitted`, `settled` or `reversed`, at `now` (UTC microseconds)."""
        if self.reversed_by is not None and self.kind != "reply":
            return "reversed"
        return "settled" if self.settled_at <= now else "submitted"


class LedgerBusy(Exception):
    """The ledger was busy for too long, or can't be opened; nothing was written."""


class _Own:
    """A process's connection, and its turn."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: standard.Connection | None = None


class Ledger:
    """The file at `path`, made at the first use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # By process id: a connection must not cross a fork, nor be closed by the child
        # (https://www.sqlite.org/howtocorrupt.html, 2.6), and the lock may be taken while forking.
        self._own: dict[int, _Own] = {}

    @contextmanager
    def writing(self, deadline: float | None = None) -> Iterator["Writing"]:
        """One transaction, committed unless it raises. Keep it short: everybody waits.

        Raises LedgerBusy after 10 s, or at `deadline` (`time.monotonic()`) if earlier.
        """
        with self._open(deadline) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                raise LedgerBusy(str(error)) from error
            try:
                yield Writing(connection)
                connection.execute("COMMIT")
            except BaseException:
                # Some failures of a commit (a full disk) have rolled back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def entries(self, limit: int | None = None, skip: int = 0) -> list[Entry]:
        """What happened, newest first, but for the `skip` newest."""
        with self._open() as connection:
            page = f"{_ENTRIES} ORDER BY e.number DESC LIMIT ? OFFSET ?"
            rows = connection.execute(page, (limit or -1, skip))
            return [_entry(row) for row in rows]

    def find(self, key: str) -> Entry | None:
        with self._open() as connection:
            return _one(connection, "key", key)

    def find_provider_id(self, provider_id: str) -> Entry | None:
        with self._open() as connection:
            return _one(connection, "provider_id", provider_id)

    def plan_fault(self, kind: str, fault: Fault, times: int = 1) -> None:
        """The next `times` effects of `kind` go wrong, in whichever process they are asked for."""
        with self.writing() as writing:
            writing.plan_fault(kind, fault, times)

    def close(self) -> None:
        own = self._own.pop(os.getpid(), None)
        if own is not None:
            with own.lock:
                if own.connection is not None:
                    own.connection.close()

    @contextmanager
    def _open(self, deadline: float | None = None) -> Iterator[standard.Connection]:
        own = self._own.setdefault(os.getpid(), _Own())
        give_up = time.monotonic() + BUSY_SECONDS
        if deadline is not None:
            give_up = min(give_up, deadline)
        if not own.lock.acquire(timeout=max(give_up - time.monotonic(), 0)):
            raise LedgerBusy("the ledger is busy")
        try:
            left = max(give_up - time.monotonic(), 0)
            if own.connection is None:
                own.connection = _connect(self.path, left)
            own.connection.execute(f"PRAGMA busy_timeout={int(left * 1000)}")
            yield own.connection
        finally:
            own.lock.release()


class Writing:
    """An open write transaction."""

    def __init__(self, connection: standard.Connection) -> None:
        self._connection = connection

    def find(self, key: str) -> Entry | None:
        return _one(self._connection, "key", key)

    def find_provider_id(self, provider_id: str) -> Entry | None:
        return _one(self._connection, "provider_id", provider_id)

    def add(self, entry: Entry) -> None:
        self._connection.execute(
            "INSERT INTO effects (key, kind, payload, provider_id, action_id, happened_at,"
            " settled_at, reverses) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(entry.key, entry.kind, canonical(entry.payload), entry.provider_id),
                *(entry.action_id, entry.at, entry.settled_at, entry.reverses),
            ),
        )

    def plan_fault(self, kind: str, fault: Fault, times: int) -> None:
        self._connection.execute(
            "INSERT INTO planned_faults (kind, fault, times) VALUES (?, ?, ?)",
            (kind, fault.value, times),
        )

    def take_planned_fault(self, kind: str) -> Fault | None:
        """The oldest planned fault of this kind, used up by one."""
        row = self._connection.execute(
            "SELECT number, fault, times FROM planned_faults WHERE kind = ?"
            " ORDER BY number LIMIT 1",
            (kind,),
        ).fetchone()
        if row is None:
            return None
        number, fault, times = row
        if times == 1:
            self._connection.execute("DELETE FROM planned_faults WHERE number = ?", (number,))
        else:
            self._connection.execute(
                "UPDATE planned_faults SET times = times - 1 WHERE number = ?", (number,)
            )
        return Fault(fault)


def canonical(payload: Mapping[str, Any]) -> str:
    """One text for one payload."""
    return json.dumps(payload, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _connect(path: Path, busy_seconds: float) -> standard.Connection:
    try:
        return connect(path, _SCHEMA, busy_seconds)
    except sqlite3.OperationalError as error:
        raise LedgerBusy(str(error)) from error


def _one(connection: standard.Connection, column: str, value: str) -> Entry | None:
    row = connection.execute(f"{_ENTRIES} WHERE e.{column} = ?", (value,)).fetchone()
    return _entry(row) if row else None


def _entry(row: tuple[Any, ...]) -> Entry:
    _, key, kind, payload, provider_id, action_id, at, settled_at, reverses, reversed_by = row
    return Entry(
        *(key, kind, json.loads(payload), provider_id, action_id),
        *(at, settled_at, reverses, reversed_by),
    )
