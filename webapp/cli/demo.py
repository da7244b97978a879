"""`demo`: a desk to look at, in the instance folder of the working directory."""

import shlex
import socket
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from webapp.cli.opening import database_file, open_database, open_desk, read_settings
from webapp.cli.program import Refused, warn
from webapp.cli.serving import HOST, PORT, app_factory, start_worker

if TYPE_CHECKING:
    from flask import Flask

    from webapp.config import Settings
    from webapp.demo.files import Folder
    from webapp.demo.warehouse import Warehouse
    from webapp.serve import Service

_LATENCY_MS = 1_500.0
"""Long enough to see that something is executing."""
_FASTEST = 600
_FAULTS = "label=busy:0.06,refund=decline:0.04"
"""Now and then a provider refuses, as providers do."""


def _a_rate(_ctx: click.Context, _parameter: click.Parameter, rate: float) -> float:
    if not 0 <= rate <= _FASTEST:  # not a number is not in the range either
        raise click.BadParameter(f"{rate} is not between 0 and {_FASTEST}")
    return rate


@click.command()
@HOST
@PORT
@click.option(
    "--rate",
    type=float,
    callback=_a_rate,
    default=12.0,
    show_default=True,
    metavar="ACTIONS_PER_MINUTE",
    help="how much the simulated agent drafts",
)
@click.option("--fresh", is_flag=True, help="throw the last demo of this folder away first")
def demo(host: str, port: int, rate: float, fresh: bool) -> None:
    """Serve a desk to look at, with an agent that drafts actions, some of them wrong on purpose.

    Makes people, policies and stock, and prints how to sign in. The connectors are a sandbox:
    nothing leaves this machine. Its data lies in ./instance; started again it goes on.

    The passwords are the same everywhere, so leave it on loopback: with another --host, whoever
    reaches the port can sign in.

    Example:  undo-desk demo --rate 30
    """
    from webapp import serve as server
    from webapp.cli.logs import start_logging
    from webapp.demo.files import Folder, Running
    from webapp.demo.warehouse import Warehouse
    from webapp.paths import INSTANCE

    settings = read_settings()
    _check_address(host, port)
    folder = Folder(INSTANCE)
    try:
        folder.lock()
    except Running as problem:
        raise Refused(str(problem)) from None
    if fresh:
        _throw_away(settings, folder)
    with closing(Warehouse(folder.memory().get("warehouse_port"))) as warehouse:
        settings = _demo_settings(settings, host, port, warehouse)
        _prepare(settings, folder, warehouse)
        start_logging("WARNING")
        at = (host, port)
        server.serve(
            app_factory(settings),
            settings,
            host=host,
            port=port,
            start_worker=partial(_begin, folder=folder, warehouse=warehouse, rate=rate, at=at),
        )


def _check_address(host: str, port: int) -> None:
    """Before anything is written. Raises Refused."""
    from webapp.config import LOOPBACK

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as problem:
        raise Refused(f"can't listen on {host}:{port}: {problem.strerror or problem}") from None
    if host not in LOOPBACK:
        warn(f"whoever reaches {host}:{port} can sign in: the demo's passwords are no secret")


def _throw_away(settings: "Settings", folder: "Folder") -> None:
    """Raises Refused where the database is not the demo's own file in the instance folder."""
    from pathlib import Path

    from webapp.demo.seed import is_demo

    file = database_file(settings)
    sandbox = Path(settings.sandbox_path)
    for one in (file, sandbox):
        if one is None or one.absolute().parent != folder.path.absolute():
            raise Refused("--fresh empties the instance folder only, and the settings name others")
    if file is not None and file.exists():
        with open_desk(settings) as desk:
            ours = is_demo(desk)
        if ours:
            folder.empty(file, sandbox)


def _demo_settings(
    settings: "Settings", host: str, port: int, warehouse: "Warehouse"
) -> "Settings":
    """The environment's, and what a demo needs where it says nothing."""
    from webapp import secret_key

    usual = {"sandbox_latency_ms": _LATENCY_MS, "sandbox_faults": _FAULTS}
    update: dict[str, object] = {
        key: value for key, value in usual.items() if key not in settings.model_fields_set
    }
    # mail to invented addresses would leave the machine
    update["reply_connector"] = "sandbox"
    update["webhook_allow"] = (*settings.webhook_allow, warehouse.address)
    if not settings.secret_key:
        update["secret_key"] = secret_key.read_or_make()
    return settings.model_copy(update=update).serving(host, port)


def _prepare(settings: "Settings", folder: "Folder", warehouse: "Warehouse") -> None:
    from webapp.cli.database import bring_to_this_version
    from webapp.demo import seed

    _check_ours(settings)
    bring_to_this_version(settings)
    with open_desk(settings) as desk:
        seed.seed(desk)
        folder.keep_token(seed.token(desk, folder.token()))
    folder.remember({"warehouse_port": warehouse.port})


def _check_ours(settings: "Settings") -> None:
    """Raises NotADemo, before the database of a real desk is so much as migrated."""
    from webapp.demo.seed import is_demo
    from webapp.services.desk import Desk
    from webapp.store import migrate

    file = database_file(settings)
    if file is None or file.is_file():
        with open_database(settings) as db:
            if migrate.version(db) is not None:
                is_demo(Desk(db, settings))


def _begin(
    app: "Flask", *, folder: "Folder", warehouse: "Warehouse", rate: float, at: tuple[str, int]
) -> "Service":
    """In the process that serves, once its application stands."""
    import threading
    from random import SystemRandom

    from webapp.demo.agent import Agent
    from webapp.demo.client import Client
    from webapp.demo.colleague import Colleague
    from webapp.demo.company import Company
    from webapp.demo.opening import open_with
    from webapp.demo.scenes import Stage
    from webapp.demo.seed import PEOPLE
    from webapp.services.caller import Caller
    from webapp.services.read import newest
    from webapp.web.current import EXTENSION

    desk = app.extensions[EXTENSION]
    stopped = threading.Event()
    empty = not newest(desk, Caller.command(), limit=1)
    admin = PEOPLE[-1]
    colleague = Caller(f"staff:{admin.email}", admin.name)
    agent = Agent(
        Client(_local_url(*at), folder.token() or "", stopped),
        Stage(SystemRandom(), f"http://{warehouse.address}"),
        per_minute=rate,
        opening=partial(open_with, desk, colleague) if empty and rate else None,
        stopped=stopped,
    )
    _welcome(desk.settings.base_url, _local_url(*at), folder, rate)
    ben = Colleague(_local_url(*at), PEOPLE[0], SystemRandom(), stopped)
    return Company(start_worker(app), agent, ben, warehouse)


def _local_url(host: str, port: int) -> str:
    """Where this host reaches its own server."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - looked for, not bound
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _welcome(url: str, local: str, folder: "Folder", rate: float) -> None:
    from webapp.demo.seed import AGENT, PEOPLE

    token = shlex.quote(str(folder.token_file))
    draft = (
        '{"kind":"reply","summary":"Say hello","customer":{"ref":"c-1","name":"Zoe"},'
        '"payload":{"to":"zoe@example.com","subject":"Hello","body":"Hello Zoe!"}}'
    )
    lines = [
        f"Undo Desk demo:  {url}",
        "",
        *(f"  sign in as {one.role:<6} {one.email}  {one.password}" for one in PEOPLE),
        "",
        f"  {AGENT} drafts {rate:g} actions a minute, and some are wrong: cancel those.",
        "  Cancel one when its countdown has ended to see what a lost race looks like.",
        "",
        "  Draft one yourself, as the agent:",
        f'  curl -H "Authorization: Bearer $(cat {token})" -H "Content-Type: application/json" \\',
        f"       -d '{draft}' {local}/api/v1/actions",
        "",
        f"  Data: {folder.path.absolute()} (--fresh begins anew).  Stop: Ctrl-C.",
    ]
    click.echo("\n".join(lines))
