"""Migrations make exactly the tables that the program thinks it has."""

from sqlalchemy import func, select

from tests.store.together import begin_together
from webapp.store import migrate
from webapp.store.engine import Database
from webapp.store.schema import desk


def test_migrated_tables_are_those_of_the_schema(database: Database) -> None:
    """Issue 2, 3: Alembic migrations; a change of one without the other is found here."""
    assert migrate.differences(database) == []
    assert migrate.version(database) == migrate.wanted()


def test_an_empty_database_says_so(empty_database_url: str) -> None:
    """CONTRACT: serve and worker refuse one that is not at this version."""
    db = Database(empty_database_url)
    assert migrate.version(db) is None
    migrate.migrate(db)
    assert migrate.version(db) == migrate.wanted()
    db.close()


def test_migrating_again_changes_nothing(database: Database) -> None:
    """An operator may run it before every start."""
    migrate.migrate(database)
    migrate.migrate(database)
    assert migrate.differences(database) == []
    with database.read() as tx:
        assert tx.conn.scalar(select(func.count()).select_from(desk)) == 1


def test_two_that_migrate_at_once_take_turns(empty_database_url: str) -> None:
    """Several processes may start together on a new database."""
    begin_together(2, "tests.store.migrating", empty_database_url)
    db = Database(empty_database_url)
    assert migrate.differences(db) == []
    db.close()
