"""`migrate`."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from webapp.config import Settings


@click.command()
def migrate() -> None:
    """Bring the database to this version.

    Makes the SQLite file where there is none. Safe to run again, and while another one runs.

    \b
    Example:
      UNDO_DESK_DATABASE_URL=postgresql+psycopg://desk@db/desk undo-desk migrate
    """
    from webapp.cli.opening import read_settings

    before, now = bring_to_this_version(read_settings())
    word = "already" if before == now else "now"
    click.echo(f"The database is at version {now} {word}.")


def bring_to_this_version(settings: "Settings") -> tuple[str | None, str]:
    """Migrate; the versions before and after. Raises Refused for a database of a later program."""
    from webapp.cli.opening import check_not_newer
    from webapp.store import migrate as migrations
    from webapp.store.engine import Database

    db = Database(settings.database_url)
    try:
        before = migrations.version(db)
        check_not_newer(before)
        migrations.migrate(db)
    finally:
        db.close()
    return before, migrations.wanted()
