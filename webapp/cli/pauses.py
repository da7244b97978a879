"""`pause` and `resume`."""

from typing import TYPE_CHECKING

import click

from webapp.cli.opening import open_desk

if TYPE_CHECKING:
    from webapp.store.pauses import Pause


@click.command()
@click.option("--reason", default="paused from the command line", help="for the others")
def pause(reason: str) -> None:
    """Stop all claiming, on every worker, from its next claim on.

    Effects under way end; rows stay as they are, and cancelling goes on.

    Example:  undo-desk pause --reason "the payment provider has trouble"
    """
    from webapp.services import pause as pauses
    from webapp.services.caller import Caller

    with open_desk() as desk:
        already = [one for one in pauses.standing(desk) if _everything(one)]
        if not already:
            pauses.pause(desk, Caller.command(), reason=reason)
    if already:
        click.echo(f"Paused already, by {already[0].paused_by}: {already[0].reason}")
    else:
        click.echo("Paused: nothing is claimed until undo-desk resume.")


@click.command()
def resume() -> None:
    """Let workers claim again.

    What fell due meanwhile waits for up to a minute, so that people can look first.

    Example:  undo-desk resume
    """
    from webapp.services import pause as pauses
    from webapp.services.caller import Caller

    with open_desk() as desk:
        ended = pauses.resume(desk, Caller.command())
        left = pauses.standing(desk)
    click.echo("Resumed." if ended else "Nothing was paused as a whole.")
    for one in left:
        what = " ".join(filter(None, (one.agent and f"agent {one.agent}", one.kind)))
        click.echo(f"Still paused: {what} ({one.reason})")


def _everything(one: "Pause") -> bool:
    return one.agent is None and one.kind is None
