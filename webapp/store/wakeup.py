"""Who commits wakes who waits: in this process by a call, in others through the database.

A wake-up carries no truth, only the earliest time that may have become due; the rows are the
truth, and everybody who listens also polls at a slow rate.
"""

import logging
import secrets
import threading
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, text

log = logging.getLogger(__name__)

Listener = Callable[[int], None]
"""Called after a commit with the earliest `execute_at` that it may have brought."""

UNKNOWN = 0
"""Anything may have become due: ask the rows."""
NOTHING = 2**62
"""Nothing has become due earlier than before."""

_CHANNEL = "undo_desk"
_DEBOUNCE = 0.002
_DATA_VERSION_EVERY = 0.01
_PUT_OFF = 3
"""Polls in a row whose news is put off because this process committed as well."""
_RETRY = 1.0


class Wakeup:
    """The hub of one process. `watch()` joins it to the other processes on this database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._listeners: list[Listener] = []
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._dirty = threading.Event()
        self._lock = threading.Lock()
        self._soonest = NOTHING
        self._own = False
        self._sender = secrets.token_hex(8)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` after every commit. It must return at once."""
        self._listeners.append(listener)

    def unsubscribe(self, listener: Listener) -> None:
        """Undo `subscribe`; a call under way may still arrive."""
        self._listeners = [other for other in self._listeners if other != listener]

    def poke(self, due: int) -> None:
        """This process has committed; `due` is what listeners are told."""
        self._own = True
        self._hear(due)
        if self._threads:
            with self._lock:
                self._soonest = min(self._soonest, due)
            self._dirty.set()

    def watch(self) -> None:
        """Tell other processes and listen to them, until `stop()`. Again: nothing more."""
        if self._threads:
            return
        # Differs because only PostgreSQL can notify; SQLite tells cheaply that a file changed.
        postgresql = self._engine.dialect.name == "postgresql"
        loops = (self._listen, self._notify) if postgresql else (self._poll,)
        self._threads = [
            threading.Thread(target=self._keep, args=(loop,), name=loop.__name__, daemon=True)
            for loop in loops
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End what `watch()` started."""
        self._stopped.set()
        self._dirty.set()
        for thread in self._threads:
            thread.join(5)
        self._threads = []

    def _keep(self, loop: Callable[[Connection], None]) -> None:
        """Run `loop` on a connection of its own, again after each failure."""
        while not self._stopped.is_set():
            try:
                with self._engine.connect() as conn:
                    try:
                        loop(conn)
                    except BaseException:
                        # The loops use the driver's own connection: the pool can't know.
                        conn.invalidate()
                        raise
            except Exception as problem:  # noqa: BLE001 - the driver's errors are of many kinds
                log.warning("wake-up connection lost: %s", problem)
                self._stopped.wait(_RETRY)

    def _listen(self, conn: Connection) -> None:
        conn.execute(text(f"LISTEN {_CHANNEL}"))
        raw: Any = conn.connection.driver_connection
        self._hear(UNKNOWN)
        while not self._stopped.is_set():
            for notice in raw.notifies(timeout=0.5):
                sender, _, due = notice.payload.partition(":")
                if sender != self._sender:
                    self._hear(int(due))
            if raw.closed:
                raise OSError("connection closed")

    def _notify(self, conn: Connection) -> None:
        # The driver's own cursor: this runs after every commit.
        raw: Any = conn.connection.driver_connection
        send = "SELECT pg_notify(%s, %s)"
        # What `stop()` sets may be cleared here: whether it has stopped is asked after that.
        while not self._stopped.is_set():
            self._dirty.wait()
            self._stopped.wait(_DEBOUNCE)
            self._dirty.clear()
            with self._lock:
                due, self._soonest = self._soonest, NOTHING
            try:
                raw.execute(send, (_CHANNEL, f"{self._sender}:{due}"))
            except Exception:
                with self._lock:
                    self._soonest = min(self._soonest, due)
                self._dirty.set()
                raise

    def _poll(self, conn: Connection) -> None:
        raw: Any = conn.connection.driver_connection
        known, put_off = None, 0
        while not self._stopped.wait(_DATA_VERSION_EVERY):
            own, self._own = self._own, False
            version = raw.execute("PRAGMA data_version").fetchone()[0]
            if version == known and not put_off:
                continue
            known = version
            # This process's own commits change it too, and their listeners have been called: what
            # else there may be can wait a little, so that a busy worker does not echo itself.
            put_off = put_off + 1 if own and put_off < _PUT_OFF else 0
            if not put_off:
                self._hear(UNKNOWN)

    def _hear(self, due: int) -> None:
        for listener in self._listeners:
            try:
                listener(due)
            except Exception:
                # What is committed stays so, and who committed it is told that; a poll makes up.
                log.exception("who listens to wake-ups failed")
