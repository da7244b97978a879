"""Bringing a database to this version, and refusing one that is not."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from webapp.store.engine import Database
from webapp.store.tables import TABLES

_LOCK = 7_305_111_019_642
"""PostgreSQL's advisory lock: two that migrate at once take turns."""


def migrate(db: Database) -> None:
    """Run what is missing. Safe to call again, and from several processes at once."""
    config = _config()
    file = db.url.database
    if db.dialect == "sqlite" and file and not Path(file).exists():
        # Customers' data: not for other users of the host. What SQLite puts beside it follows.
        Path(file).touch(mode=0o600)
    with db.connection() as conn:
        if db.dialect == "postgresql":
            conn.exec_driver_sql(f"SELECT pg_advisory_lock({_LOCK})")
        else:
            conn.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            config.attributes["connection"] = conn
            command.upgrade(config, "head")
            conn.commit()
        finally:
            if db.dialect == "postgresql":
                conn.exec_driver_sql(f"SELECT pg_advisory_unlock({_LOCK})")


def version(db: Database) -> str | None:
    """The revision that the database is at; None where it was never migrated."""
    with db.connection() as conn:
        return MigrationContext.configure(conn).get_current_revision()


def wanted() -> str:
    """The revision that this program needs."""
    return ScriptDirectory.from_config(_config()).get_heads()[0]


def known() -> set[str]:
    """Every revision that this program has heard of: another one is of a later program."""
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def differences(db: Database) -> list[object]:
    """What the migrated tables and `schema` disagree about; for the test that keeps them equal."""
    with db.connection() as conn:
        options = {"include_name": _comparable}
        return list(compare_metadata(MigrationContext.configure(conn, opts=options), TABLES))


def _comparable(name: str | None, what: str, _parents: object) -> bool:
    """All but the index of words, which each database has in a form of its own."""
    if what == "table":
        return name != "search" and not str(name).startswith("search_")
    return name != "ix_searched_words"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config
