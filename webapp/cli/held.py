"""What a command with `--hold-scheduled` says of what is scheduled already."""

from collections.abc import Sequence

import click


def echo_held(held: Sequence[str] | None, left: str) -> None:
    """`held` are ids, None where nothing was to be held; `left` is how many still run, or empty."""
    if held is not None:
        click.echo(f"Held: {' '.join(held) or 'nothing was scheduled'}")
    elif left:
        click.echo(
            f"What is scheduled still runs ({left}); the same again with --hold-scheduled holds it."
        )
