"""`serve` and `worker`, and how their parts meet."""

import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from webapp.cli.opening import open_desk, read_settings
from webapp.cli.program import Refused

if TYPE_CHECKING:
    from flask import Flask

    from webapp.config import Settings
    from webapp.serve import Service

_log = logging.getLogger(__name__)


def a_host(_ctx: click.Context, _parameter: click.Parameter, host: str) -> str:
    """A name or address that a socket takes. Raises BadParameter."""
    try:
        host.encode("idna")
    except UnicodeError:
        raise click.BadParameter(f"{host!r} is no host name or address") from None
    if not host:
        raise click.BadParameter("may not be empty; 0.0.0.0 is every address of this host")
    return host


HOST = click.option(
    "--host", default="127.0.0.1", show_default=True, callback=a_host, help="address to listen on"
)
PORT = click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8000,
    show_default=True,
    help="port to listen on",
)


@click.command()
@HOST
@PORT
@click.option(
    "--no-worker", is_flag=True, help="pages and API only; run undo-desk worker elsewhere"
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="web processes, each with a worker; more than one needs PostgreSQL",
)
def serve(host: str, port: int, no_worker: bool, processes: int) -> None:
    """Serve pages, API and feed, with a worker in the same process.

    Ends on SIGTERM or Ctrl-C: claims stop at once, effects under way end first.

    \b
    Examples:
      undo-desk serve --port 8080
      undo-desk serve --host 0.0.0.0 --no-worker --processes 4
    """
    from webapp import serve as server
    from webapp.cli.logs import start_logging
    from webapp.connectors.registry import connectors

    settings = read_settings()
    if processes > 1 and settings.database_url.startswith("sqlite"):
        raise Refused("--processes needs PostgreSQL: a SQLite desk is one process")
    with open_desk(settings):
        settings = settings.serving(host, port)
        connectors(settings)
    start_logging()
    server.serve(
        app_factory(settings),
        settings,
        host=host,
        port=port,
        processes=processes,
        start_worker=None if no_worker else start_worker,
    )


@click.command()
@click.option("--slots", type=click.IntRange(1, 1024), help="effects at once; else the setting")
def worker(slots: int | None) -> None:
    """Run a worker alone: claim what is due, have its effect made, record it.

    Any number may run, on any host, on the same database. Ends on SIGTERM or Ctrl-C with its
    last effect.

    Example:  undo-desk worker --slots 32
    """
    from webapp.cli.logs import start_logging
    from webapp.worker import run

    settings = read_settings()
    with open_desk(settings) as desk:
        start_logging()
        status = run(desk, slots or settings.worker_slots)
    sys.exit(status)


def app_factory(settings: "Settings") -> "Callable[[], Flask]":
    """Makes the application in the process that serves, with connections of its own."""

    def make() -> "Flask":
        from webapp.app import create_app
        from webapp.services.desk import Desk
        from webapp.store.engine import Database

        desk = Desk(Database(settings.database_url), settings)
        desk.db.measure_offset()
        desk.db.wakeup.watch()
        app = create_app(desk)
        _log.info("Serves %s", settings.base_url)
        return app

    return make


def start_worker(app: "Flask") -> "Service":
    """The action worker of a process that serves."""
    from webapp import worker as workers
    from webapp.web.current import EXTENSION

    desk = app.extensions[EXTENSION]
    return workers.start_worker(desk, desk.settings)
