"""`settings replay`: what a policy row would have made of what was drafted already."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from webapp.cli.opening import open_desk
from webapp.cli.policy import pairs
from webapp.cli.table import echo_table

if TYPE_CHECKING:
    from webapp.services.replay import Replayed, Step

_REASONS = 5


@click.command("replay")
@click.argument("kind")
@click.argument("values", metavar="KEY=VALUE…", nargs=-1)
def replay_settings(kind: str, values: tuple[str, ...]) -> None:
    """Try KIND's row, with these keys changed, on what was drafted already. Nothing is saved.

    \b
    Example:
      undo-desk settings replay refund mode=window window_seconds=120
    """
    from webapp.services.replay import replay
    from webapp.services.settings import tried

    wanted = pairs(values)
    with open_desk() as desk:
        result = _watched(replay(desk, kind, tried(desk, kind, wanted)))
    tally = result.tally
    both = {"In fact": tally.facts(), "With this row": tally.figures()}
    for head, figures in both.items():
        echo_table((head, "Actions"), [(words, str(number)) for words, number in figures])
        click.echo()
    more = "; there may be older ones" if result.more else ""
    click.echo(f"{tally.actions} looked at{more}. Nothing is saved.")
    for reason, number in tally.reasons.most_common(_REASONS):
        click.echo(f"Approval, {number} times: {reason}")


def _watched(steps: Iterable["Step"]) -> "Replayed":
    """The result; how far it is stands on standard error, where that is a terminal."""
    result = None
    for step in steps:
        if sys.stderr.isatty():
            click.echo(f"\r{step.done} of {step.of}", nl=step.result is not None, err=True)
        result = step.result or result
    if result is None:
        raise AssertionError("unreachable: the last step has the result")
    return result
