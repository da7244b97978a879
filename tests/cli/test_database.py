"""`migrate`, and what commands say of a database that they can't work on."""

import socket
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.cli.conftest import Run
from tests.fixtures.desk import Desk, free_port, make_desk, wait_until
from webapp.cli.opening import check_version
from webapp.store import heartbeats, migrate
from webapp.store.engine import Database

USERS = (("serve",), ("worker",), ("settings", "show"), ("pause",), ("agent", "add", "bot"))
"""A few of the commands that work on a database."""


def _set_version(url: str, version: str) -> None:
    store = Database(url)
    with store.connection() as conn:
        conn.execute(
            text("UPDATE alembic_version SET version_num = :version"), {"version": version}
        )
    store.close()


def test_migrate_makes_a_database_of_this_version_and_may_run_again(
    run: Run, empty_database_url: str
) -> None:
    first = run("migrate", database_url=empty_database_url).said
    assert first == f"The database is at version {migrate.wanted()} now.\n"
    again = run("migrate", database_url=empty_database_url).said
    assert again == f"The database is at version {migrate.wanted()} already.\n"
    store = Database(empty_database_url)
    check_version(store)
    store.close()


def test_migrate_makes_the_instance_folder(run: Run, here: Path) -> None:
    assert run("migrate").said
    assert (here / "instance" / "undo-desk.db").is_file()


def test_two_that_migrate_at_once_both_succeed(tmp_path: Path, empty_database_url: str) -> None:
    desk = make_desk(tmp_path / "desk", empty_database_url)
    ended: list[int] = []
    threads = [
        threading.Thread(target=lambda: ended.append(desk.run("migrate").returncode))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [0, 0]


@pytest.mark.parametrize("arguments", USERS, ids=" ".join)
def test_a_database_that_was_never_migrated_is_refused(
    run: Run, empty_database_url: str, arguments: tuple[str, ...]
) -> None:
    store = Database(empty_database_url)
    with store.connection() as conn:
        conn.execute(text("SELECT 1"))  # SQLite makes the file now
    store.close()
    refusal = run(*arguments, database_url=empty_database_url).refusal
    assert "was never migrated: run undo-desk migrate" in refusal


@pytest.mark.parametrize("arguments", [*USERS, ("migrate",)], ids=" ".join)
def test_a_database_of_a_later_program_is_refused(
    run: Run, database_url: str, arguments: tuple[str, ...]
) -> None:
    _set_version(database_url, "9999")
    assert "newer than the program" in run(*arguments, database_url=database_url).refusal


@pytest.mark.parametrize("arguments", [*USERS, ("migrate",)], ids=" ".join)
def test_a_database_that_is_not_there_is_refused_in_words(
    run: Run, arguments: tuple[str, ...]
) -> None:
    url = f"postgresql+psycopg://desk:pass-word@127.0.0.1:{free_port()}/desk"
    refusal = run(*arguments, database_url=url).refusal
    assert "Connection refused" in refusal
    assert "pass-word" not in refusal


@pytest.mark.parametrize("arguments", [("stock", "show"), ("migrate",)], ids=" ".join)
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    run: Run, here: Path, arguments: tuple[str, ...]
) -> None:
    file = here / "letter.txt"
    file.write_text("Dear desk, " * 100)
    assert "not a database" in run(*arguments, database_url=f"sqlite:///{file}").refusal
    assert file.read_text() == "Dear desk, " * 100


def test_a_folder_that_cannot_be_made_is_refused(run: Run, here: Path) -> None:
    (here / "instance").write_text("in the way")
    assert "instance" in run("migrate").refusal


def test_a_url_that_means_nothing_is_refused_without_its_password(run: Run) -> None:
    for url in ("mysql://desk:pass-word@db/desk", "postgresql://desk:pass-word@db:port/desk"):
        refusal = run("migrate", database_url=url).refusal
        assert "pass-word" not in refusal


def test_tables_of_somebody_else_are_left_alone(run: Run, empty_database_url: str) -> None:
    store = Database(empty_database_url)
    with store.connection() as conn:
        conn.execute(text("CREATE TABLE action (id INTEGER PRIMARY KEY, name TEXT)"))
    assert "action" in run("migrate", database_url=empty_database_url).refusal
    with store.connection() as conn:
        conn.execute(text("SELECT name FROM action"))
    assert migrate.version(store) is None
    store.close()


def test_serve_with_several_processes_needs_postgresql(run: Run, sqlite_url: str) -> None:
    refusal = run("serve", "--processes", "2", database_url=sqlite_url).refusal
    assert "needs PostgreSQL" in refusal


def test_serving_the_network_needs_a_secret(run: Run, here: Path, sqlite_url: str) -> None:
    refusal = run("serve", "--host", "0.0.0.0", database_url=sqlite_url).refusal
    assert refusal.startswith("UNDO_DESK_SECRET_KEY: required")
    assert not list(here.iterdir())


def test_a_name_that_is_no_host_is_refused_in_words(
    run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `create_server` raises then has a number that `os.strerror` knows nothing of."""

    def refuse(address: tuple[str, int], **_: object) -> None:
        words = f"Name or service not known (while attempting to bind on address {address!r})"
        raise OSError(socket.EAI_NONAME, words)

    run("migrate", database_url=sqlite_url)
    monkeypatch.setattr("socket.create_server", refuse)
    ran = run("serve", "--host", "no.host", database_url=sqlite_url, secret_key="k" * 40)
    assert ran.status == 1
    assert ran.out + ran.err == "Error: can't listen on no.host:8000: Name or service not known\n"


def test_a_port_in_use_is_refused(tmp_path: Path, sqlite_url: str) -> None:
    desk = make_desk(tmp_path / "desk", sqlite_url)
    try:
        desk.serve("--no-worker")
        port = desk.url.rpartition(":")[2]
        for command in ("serve", "demo"):
            ran = desk.run(command, "--port", port)
            assert (ran.returncode, ran.stdout) == (1, "")
            assert ran.stderr.startswith(f"Error: can't listen on 127.0.0.1:{port}: Address")
            assert ran.stderr.count("\n") == 1
        assert not (desk.folder / "instance" / "demo.lock").exists()
    finally:
        desk.close()


def test_serve_and_worker_share_a_database(tmp_path: Path, database_url: str) -> None:
    desk: Desk = make_desk(tmp_path / "desk", database_url)
    try:
        desk.serve("--no-worker")
        worker = desk.start("worker", "--slots", "3")
        ready = Database(database_url)

        def beats() -> bool:
            with ready.read() as tx:
                return heartbeats.health(tx).worker_age is not None

        wait_until(beats, seconds=30)
        assert worker.stop() == 0
        assert not beats()
        ready.close()
    finally:
        desk.close()
