"""A database that was put back from a backup or copied starts paused. Promise 14."""

import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg import sql
from sqlalchemy import delete, func, select, text, update

from tests.fixtures.desk import wait_until
from tests.fixtures.postgres import PostgresServer
from tests.worker.stage import Recorder, get, make_desk, plant, row, serving, states, timeline
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import pause, put_back
from webapp.services.caller import Caller
from webapp.store import claims, lineage
from webapp.store.engine import Database
from webapp.store.lineage import PUT_BACK
from webapp.store.schema import action, dependency, desk, event
from webapp.worker import Worker
from webapp.worker.mark import MarkFile

LATER = 3_600 * SECOND
_NUMBERED = text("SELECT setval(pg_get_serial_sequence('event', 'id'), :next, false)")


@contextmanager
def starting(db: Database, folder: Path) -> Iterator[Recorder]:
    """A worker's whole life, with its mark in `folder`."""
    connector = Recorder()
    worker = Worker(make_desk(db), serving(connector), slots=2, mark=MarkFile(folder, db))
    worker.start()
    try:
        yield connector
    finally:
        worker.stop()
        assert worker.join(20)


def lived(db: Database, folder: Path) -> None:
    """A worker has started and ended here."""
    with starting(db, folder):
        pass


def happens(db: Database) -> str:
    """One more event."""
    (one,) = plant(db, row(db.now() - SECOND))
    db.statement(lambda tx: claims.claim(tx, "worker:first", 1, LATER))
    return one


def backed_up(db: Database) -> Callable[[], None]:
    """Everything as it is now; called, it is as it was then. As a backup does it, and no arrow."""
    if db.dialect == "sqlite":
        file = Path(db.url.database or "")
        with db.connection() as conn:
            conn.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        copy = shutil.copy(file, file.with_suffix(".backup"))

        def restore() -> None:
            db.close()
            for part in ("-wal", "-shm"):
                Path(f"{file}{part}").unlink(missing_ok=True)
            shutil.copy(copy, file)

        return restore
    tables = (desk, action, event)
    with db.connection() as conn:
        kept = [[dict(found._mapping) for found in conn.execute(one.select())] for one in tables]
        number = conn.scalar(select(func.max(event.c.id))) or 0

    def rewind() -> None:
        with db.connection() as conn:
            conn.execute(text("SET session_replication_role = replica"))
            for one in (dependency, *reversed(tables)):
                conn.execute(delete(one))
            for one, rows in zip(tables, kept, strict=True):
                if rows:
                    conn.execute(one.insert(), rows)
            # A backup has its sequences too: numbers are given anew.
            conn.execute(_NUMBERED, {"next": number + 1})
            conn.execute(text("RESET session_replication_role"))

    return rewind


def paused(db: Database) -> list[str]:
    return [one.reason for one in pause.standing(make_desk(db))]


def test_put_back_it_starts_paused_and_what_ran_is_unknown(
    database: Database, tmp_path: Path
) -> None:
    """Promise 14: no claim before people have looked; resume ends it, once for all."""
    lived(database, tmp_path)
    running = happens(database)
    restore = backed_up(database)
    happens(database)
    lived(database, tmp_path)
    assert paused(database) == []
    restore()
    (due,) = plant(database, row(database.now() - SECOND))
    with starting(database, tmp_path) as connector:
        assert paused(database) == [PUT_BACK]
        found = get(database, running)
        assert (found.state, found.state_by) == (State.UNKNOWN, "policy")
        assert found.error is not None
        assert PUT_BACK in found.error["message"]
        assert [one.verb for one in timeline(database, running)][-1] == "unknown"
        assert get(database, due).state is State.SCHEDULED
        assert connector.sent == []
    lived(database, tmp_path)
    assert paused(database) == [PUT_BACK], "once"
    pause.resume(make_desk(database), Caller.command())
    lived(database, tmp_path)
    assert paused(database) == []


def test_what_is_long_overdue_in_it_is_held_also_after_the_resume(
    database: Database, tmp_path: Path
) -> None:
    """The end of a pause counts anew; what the backup brought back must not be fired by that."""
    (old,) = plant(database, row(database.now() + LATER))
    happens(database)
    lived(database, tmp_path)
    restore = backed_up(database)
    happens(database)
    lived(database, tmp_path)
    restore()
    past = {"execute_at": database.now() - 2 * LATER, "claimable_at": database.now() - 2 * LATER}
    move = update(action).where(action.c.id == old).values(past)
    database.transact(lambda tx: tx.conn.execute(move))
    with starting(database, tmp_path) as connector:
        assert get(database, old).state is State.HELD
        pause.resume(make_desk(database), Caller.command())
    assert connector.sent == []


def test_an_event_that_only_has_the_same_number_is_not_the_same(
    database: Database, tmp_path: Path
) -> None:
    """What came after the backup was written over by other things."""
    lived(database, tmp_path)
    restore = backed_up(database)
    happens(database)
    lived(database, tmp_path)
    restore()
    happens(database)
    lived(database, tmp_path)
    assert paused(database) == [PUT_BACK]


@pytest.mark.parametrize("again", [1, 3])
def test_stopping_and_starting_is_no_restore(
    database: Database, tmp_path: Path, again: int
) -> None:
    """Nor is what others did meanwhile."""
    for _ in range(again):
        happens(database)
        lived(database, tmp_path)
    assert paused(database) == []


def test_a_new_worker_host_has_no_mark_and_finds_nothing(
    database: Database, tmp_path: Path
) -> None:
    """Issue 3, 8; its claim runs."""
    happens(database)
    lived(database, tmp_path / "old")
    (due,) = plant(database, row(database.now() - SECOND))
    with starting(database, tmp_path / "new"):
        wait_until(lambda: get(database, due).state is State.EXECUTED)
    assert paused(database) == []


def test_of_two_hosts_with_old_marks_only_the_first_pauses(
    database: Database, tmp_path: Path
) -> None:
    """The second starts after people have looked and resumed: what runs now stays as it is."""
    lived(database, tmp_path / "a")
    restore = backed_up(database)
    happens(database)
    lived(database, tmp_path / "a")
    lived(database, tmp_path / "b")
    restore()
    lived(database, tmp_path / "a")
    pause.resume(make_desk(database), Caller.command())
    running = happens(database)
    lived(database, tmp_path / "b")
    assert paused(database) == []
    assert get(database, running).state is State.EXECUTING


def test_a_new_database_in_the_same_place_is_new(database: Database, tmp_path: Path) -> None:
    """`demo --fresh`, or a database that was dropped and made again."""
    happens(database)
    lived(database, tmp_path)
    fresh = update(desk).values(identity=None, server=None)
    database.transact(lambda tx: tx.conn.execute(fresh))
    with database.read() as tx:
        assert lineage.read(tx).identity is None
    lived(database, tmp_path)
    assert paused(database) == []


def test_another_server_under_the_same_rows_is_a_copy(postgresql_url: str, tmp_path: Path) -> None:
    """PostgreSQL: its system identifier is stored; a standby has the same, a copy has not."""
    db = Database(postgresql_url)
    running = happens(db)
    lived(db, tmp_path)
    with db.read() as tx:
        assert lineage.read(tx).server == lineage.server(db)
    move = update(desk).values(server="7305111019642/5")
    db.transact(lambda tx: tx.conn.execute(move))
    lived(db, tmp_path / "no mark")
    assert paused(db) == [PUT_BACK]
    assert get(db, running).state is State.UNKNOWN
    pause.resume(make_desk(db), Caller.command())
    lived(db, tmp_path / "no mark")
    assert paused(db) == []
    db.close()


def test_a_copy_within_the_same_server_is_a_copy(
    postgresql_url: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """CREATE DATABASE … TEMPLATE: the same system identifier, another database."""
    db = Database(postgresql_url)
    lived(db, tmp_path)
    db.close()
    end = sql.SQL(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = {}"
    )
    postgres_server.execute(end.format(sql.Literal(db.url.database)))
    name = postgres_server.create(db.url.database)
    copy = Database(postgres_server.url(name))
    lived(copy, tmp_path)
    assert paused(copy) == [PUT_BACK]
    copy.close()
    postgres_server.drop(name)


def test_the_mark_is_private_whole_and_without_a_path(database: Database, tmp_path: Path) -> None:
    """Issue 3, 8. What can't be read counts as none, and stops nobody."""
    happens(database)
    lived(database, tmp_path)
    (file,) = tmp_path.glob("mark-*")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    known = MarkFile(tmp_path, database).read()
    assert known is not None
    assert known.newest is not None
    for broken in ("", "{}", "[]", '{"identity": 1, "life": 1, "newest": 5}'):
        file.write_text(broken)
        assert MarkFile(tmp_path, database).read() is None
    lived(database, tmp_path)
    assert MarkFile(tmp_path, database).read() == known


def test_a_running_worker_notices_too(database: Database) -> None:
    """PostgreSQL can be put back under a worker that lives; it looks with each mark."""
    desk = make_desk(database)
    happens(database)
    now, lost = put_back.look(desk, None)
    assert not lost
    assert now.newest is not None
    gone = replace(now, newest=replace(now.newest, event=now.newest.event + 7))
    after, lost = put_back.look(desk, gone)
    assert (lost, after.life) == (True, now.life + 1)
    assert set(states(database)) == {"unknown"}
