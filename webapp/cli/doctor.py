"""`doctor`: looks at what a desk rests on, and names what is wrong."""

import click

from webapp.cli.program import Refused


@click.command()
def doctor() -> None:
    """Check settings, database, clock, secret key, SQLite, connectors and worker.

    One line each, beginning with "ok" or "wrong". Exit status 1 when something is wrong.

    Example:  undo-desk doctor
    """
    from webapp.cli import checks

    wrong = []
    for finding in checks.run():
        word = "ok   " if finding.ok else "wrong"
        click.echo(f"{word}  {finding.about:<11} {finding.says}")
        if not finding.ok:
            wrong.append(f"{finding.about} ({finding.says})")
    if wrong:
        raise Refused(f"Wrong: {'; '.join(wrong)}")
