"""A database of its own for trials, on the same server or disk, and gone afterwards.

Nothing of it stands where feed, reports or events look.
"""

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from webapp.domain.errors import Unavailable
from webapp.store.engine import Database
from webapp.store.migrate import migrate

SCHEMA = "undo_desk_scratch"
_LOCK = 7_305_111_019_643
"""PostgreSQL's advisory lock: one scratch at a time, whatever the process."""
_BUSY = "Another self-test is running: wait until it has ended."
_mine = threading.Lock()


@contextmanager
def scratch(db: Database) -> Iterator[Database]:
    """A migrated, empty database beside `db`. Raises Unavailable: one is in use, or none allowed.

    Differs because PostgreSQL has schemas (a search path of its own), and SQLite files.
    """
    if not _mine.acquire(blocking=False):
        raise Unavailable(_BUSY)
    try:
        with _schema(db) if db.dialect == "postgresql" else _file(db) as url:
            made = Database(url)
            try:
                migrate(made)
                yield made
            finally:
                made.close()
    finally:
        _mine.release()


@contextmanager
def _file(db: Database) -> Iterator[str]:
    beside = Path(db.url.database or "").resolve().parent
    with tempfile.TemporaryDirectory(prefix=".undo-desk-scratch-", dir=beside) as folder:
        for left in beside.glob(".undo-desk-scratch-*"):
            if left != Path(folder):  # of a process that was killed
                shutil.rmtree(left, ignore_errors=True)
        yield f"sqlite:///{Path(folder) / 'scratch.db'}"


@contextmanager
def _schema(db: Database) -> Iterator[str]:
    with db.connection() as conn:
        if not conn.scalar(text(f"SELECT pg_try_advisory_lock({_LOCK})")):
            raise Unavailable(_BUSY)
        try:
            conn.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
            try:
                conn.execute(text(f"CREATE SCHEMA {SCHEMA}"))
            except ProgrammingError as problem:
                reason = str(problem.orig).splitlines()[0]
                raise Unavailable(f"PostgreSQL gives no schema for it ({reason}).") from problem
            url = db.url.update_query_dict({"options": f"-c search_path={SCHEMA}"})
            yield url.render_as_string(hide_password=False)
        finally:
            conn.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
            conn.execute(text(f"SELECT pg_advisory_unlock({_LOCK})"))
