"""The command line in this process: quick, and with the same exit statuses and outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, select

from webapp.cli import main
from webapp.store.engine import Database
from webapp.store.tables import TABLES

SQLITE = pytest.mark.parametrize("backend", ["sqlite"])
"""For what is refused before the database has a say: once is enough."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """What it says where it refused: one line on standard error, none on standard output."""
        assert self.status == 1, self
        return self._one_line()

    @property
    def usage(self) -> str:
        """What it says where it was called wrongly."""
        assert self.status == 2, self
        return self._one_line()

    @property
    def said(self) -> str:
        """What it says where all went well."""
        assert self.status == 0, self
        assert not self.err
        return self.out

    def _one_line(self) -> str:
        assert not self.out
        assert self.err.startswith("Error: ")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("Error: ").rstrip("\n")


Run = Callable[..., Ran]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no setting from outside."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(here: Path) -> Run:
    """`run("stock", "show")` in an empty working folder; keywords are settings."""

    def run(*arguments: str, stdin: str | bytes | None = None, **settings: str) -> Ran:
        env = {f"UNDO_DESK_{name.upper()}": value for name, value in settings.items()}
        runner = CliRunner(env=env)
        result = runner.invoke(main, arguments, input=stdin, prog_name="undo-desk")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def on(run: Run, database_url: str) -> Run:
    """The same on a migrated database, on each backend in turn."""

    def on(*arguments: str, stdin: str | bytes | None = None, **settings: str) -> Ran:
        return run(*arguments, stdin=stdin, database_url=database_url, **settings)

    return on


@pytest.fixture
def contents(database_url: str) -> Callable[[], dict[str, list[Any]]]:
    """All rows of all tables of that database, to see that nothing was written."""

    def read() -> dict[str, list[Any]]:
        store = Database(database_url)
        try:
            with store.connection() as conn:
                assert set(inspect(conn).get_table_names()) >= set(TABLES.tables)
                tables = TABLES.sorted_tables
                return {one.name: [*map(tuple, conn.execute(select(one)))] for one in tables}
        finally:
            store.close()

    return read
