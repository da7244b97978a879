"""Settings, and the desk that most commands work on."""

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.cli.program import Refused, warn

if TYPE_CHECKING:
    from webapp.config import Settings
    from webapp.services.desk import Desk
    from webapp.store.engine import Database


def read_settings() -> "Settings":
    """From the environment; a variable that means nothing is named. Raises ConfigError."""
    from webapp.config import Settings, unknown_variables, variable

    known = [variable(field) for field in Settings.model_fields]
    for name in unknown_variables(os.environ):
        close = difflib.get_close_matches(name, known, 1, 0.8)
        guess = f"; did you mean {close[0]}?" if close else ""
        warn(f"{name} means nothing to this version{guess}")
    return Settings.from_env()


@contextmanager
def open_desk(settings: "Settings | None" = None) -> Iterator["Desk"]:
    """The desk on a database of this version, closed afterwards.

    Raises Refused, Unavailable, ConfigError.
    """
    from webapp.services.desk import Desk

    settings = settings or read_settings()
    with open_database(settings) as db:
        check_version(db)
        yield Desk(db, settings)


@contextmanager
def open_database(settings: "Settings") -> Iterator["Database"]:
    """The database as it is, closed afterwards. Never makes a file: Refused where none is."""
    from webapp.store.engine import Database

    file = database_file(settings)
    if file is not None and not file.is_file():
        raise Refused(f"There is no database at {file}: run undo-desk migrate first")
    db = Database(settings.database_url)
    try:
        yield db
    finally:
        db.close()


def database_file(settings: "Settings") -> Path | None:
    """The SQLite file that the settings name; None on PostgreSQL."""
    from sqlalchemy import make_url

    url = make_url(settings.database_url)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def check_version(db: "Database") -> None:
    """Raises Refused unless the database is at this program's version."""
    from webapp.store import migrate

    found, wanted = migrate.version(db), migrate.wanted()
    if found == wanted:
        return
    check_not_newer(found)
    was = "was never migrated" if found is None else f"is at version {found}, not {wanted}"
    raise Refused(f"The database {was}: run undo-desk migrate")


def check_not_newer(found: str | None) -> None:
    """Raises Refused where the database was migrated by a later version of the program."""
    from webapp.store import migrate

    if found is not None and found not in migrate.known():
        raise Refused(
            f"The database is at version {found}, which this program does not know: "
            "it is newer than the program"
        )
