"""`migrate`."""

import click


@click.command()
def migrate() -> None:
    """Bring the database to this version.

    Makes the SQLite file where there is none. Safe to run again, and while another one runs.

    Example:  UNDO_DESK_DATABASE_URL=postgresql+psycopg://desk@db/desk undo-desk migrate
    """
    from webapp.cli.opening import check_not_newer, read_settings
    from webapp.store import migrate as migrations
    from webapp.store.engine import Database

    db = Database(read_settings().database_url)
    try:
        before = migrations.version(db)
        check_not_newer(before)
        migrations.migrate(db)
    finally:
        db.close()
    now = migrations.wanted()
    if before == now:
        click.echo(f"The database is at version {now} already.")
    else:
        click.echo(f"The database is at version {now} now.")
