"""`undo-desk`: every command, and how one ends (0 done, 1 refused, 2 usage)."""

import click

from webapp.cli.customers import customer
from webapp.cli.database import migrate
from webapp.cli.demo import demo
from webapp.cli.doctor import doctor
from webapp.cli.pauses import pause, resume
from webapp.cli.people import agent, user
from webapp.cli.policy import settings
from webapp.cli.program import Program
from webapp.cli.replay import replay_settings
from webapp.cli.sandbox import sandbox
from webapp.cli.serving import serve, worker
from webapp.cli.stock import stock


@click.group(cls=Program)
@click.version_option(package_name="undo-desk", prog_name="undo-desk")
def main() -> None:
    """Undo Desk: agents draft actions, people may cancel them, the rest runs.

    \b
    A desk of your own:
      undo-desk migrate
      undo-desk user add you@example.com --role admin
      undo-desk agent add returns-agent
      undo-desk serve

    Or just look at one:  undo-desk demo

    Settings are environment variables that begin with UNDO_DESK_; the README lists them.
    """


settings.add_command(replay_settings)
for command in (
    *(serve, worker, demo, migrate, user, agent, settings),
    *(stock, customer, sandbox, pause, resume, doctor),
):
    main.add_command(command)
