"""`doctor`: a line for each thing, and status 1 that names what is wrong."""

from pathlib import Path

import pytest
from sqlalchemy import text

from tests.cli.conftest import SQLITE, Ran, Run
from tests.fixtures.desk import free_port
from webapp import secret_key
from webapp.cli import checks
from webapp.store import heartbeats
from webapp.store.engine import Database


def _lines(ran: Ran) -> dict[str, tuple[str, str]]:
    """About -> (ok or wrong, the rest)."""
    found = {}
    for line in ran.out.splitlines():
        word, about, says = line[:5].strip(), line[7:18].strip(), line[19:]
        assert word in ("ok", "wrong"), line
        found[about] = (word, says)
    return found


def _wrong(ran: Ran) -> str:
    """The one line on standard error, of a run that found just one thing."""
    assert ran.status == 1
    assert ran.err.startswith("Error: Wrong: ")
    assert ran.err.count("\n") == 1
    (about,) = [about for about, (word, _) in _lines(ran).items() if word == "wrong"]
    assert about in ran.err
    return about


def test_a_desk_in_order(on: Run, here: Path, backend: str) -> None:
    secret_key.read_or_make()
    ran = on("doctor")
    found = _lines(ran)
    assert ran.status == 0, ran
    assert list(found) == [
        *(
            "settings",
            "database",
            "clock",
            "worker",
            "retention",
            "secret key",
            "SQLite",
            "connectors",
        ),
    ]
    assert {word for word, _ in found.values()} == {"ok"}
    assert "sandbox" in found["connectors"][1]
    assert "WAL" in found["SQLite"][1]
    assert ("host's decides" if backend == "sqlite" else "database's decides") in found["clock"][1]


def test_no_database(run: Run) -> None:
    ran = run("doctor")
    assert _wrong(ran) == "database"
    assert "undo-desk migrate" in ran.err


def test_a_database_that_is_not_there(run: Run) -> None:
    url = f"postgresql+psycopg://desk:pass-word@127.0.0.1:{free_port()}/desk"
    ran = run("doctor", database_url=url)
    assert _wrong(ran) == "database"
    assert "pass-word" not in ran.out + ran.err


def test_the_password_of_the_database_is_not_shown(run: Run, postgresql_url: str) -> None:
    url = postgresql_url.replace("postgres:@", "postgres:pass-word@")
    assert "pass-word" not in run("doctor", database_url=url).out


def test_a_database_of_another_version(on: Run, database: Database) -> None:
    with database.connection() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert _wrong(on("doctor")) == "database"


def test_a_clock_that_is_off(
    run: Run, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "CLOCK_OFF_AT_MOST", -1)
    assert _wrong(run("doctor", database_url=postgresql_url)) == "clock"


def test_a_worker_that_died(on: Run, database: Database) -> None:
    database.transact(lambda tx: heartbeats.beat(tx, "worker:a", 4))
    assert _lines(on("doctor"))["worker"][0] == "ok"
    with database.connection() as conn:
        conn.execute(text("UPDATE heartbeat SET at = at - 60000000"))
    assert _wrong(on("doctor")) == "worker"


@SQLITE
def test_a_secret_that_others_can_read(on: Run, here: Path) -> None:
    secret_key.read_or_make()
    (here / "instance" / "secret.key").chmod(0o644)
    ran = on("doctor")
    assert _wrong(ran) == "secret key"
    assert "chmod 600" in ran.err


@SQLITE
def test_a_secret_that_is_short(on: Run) -> None:
    ran = on("doctor", secret_key="hunter2")
    assert _wrong(ran) == "settings"
    assert "hunter2" not in ran.out + ran.err


@SQLITE
def test_a_connector_that_cannot_work(on: Run, here: Path) -> None:
    (here / "file").write_text("")
    assert _wrong(on("doctor", sandbox_path="file/sandbox.db")) == "connectors"
    assert _wrong(on("doctor", sandbox_faults="refund=never")) == "connectors"


def test_a_setting_that_is_wrong(run: Run) -> None:
    ran = run("doctor", timezone="Vienna")
    assert _wrong(ran) == "settings"
    assert list(_lines(ran)) == ["settings"]
