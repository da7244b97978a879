"""Aligned columns for reading; programs ask for JSON where they can."""

from collections.abc import Sequence

import click


def echo_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print `rows` under `head`, each column as wide as it needs; the last one is not padded."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())
