"""`stock import`, `stock set`, `stock show`."""

import io
from pathlib import Path

import click

from webapp.cli.opening import open_desk
from webapp.cli.program import Refused
from webapp.cli.table import echo_table


@click.group()
def stock() -> None:
    """What `exchange` may reserve.

    Example:  undo-desk stock import stock.csv
    """


@stock.command("import")
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
def import_stock(file: Path) -> None:
    """Set every item of a CSV file with the columns sku, available[, name]: all or none.

    Items that the file does not name stay as they are.

    \b
    Example:
      printf 'sku,available,name\\nTEE-M,25,T-shirt M\\n' >stock.csv
      undo-desk stock import stock.csv
    """
    from webapp.services.stock import import_csv

    with open_desk() as desk:
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            raise Refused(f"{file}: not valid UTF-8 (byte {problem.start + 1})") from None
        count = import_csv(desk, io.StringIO(text, newline=""))
    click.echo(f"Set {count} {'item' if count == 1 else 'items'}.")


@stock.command("set")
@click.argument("sku")
@click.argument("available", metavar="N")
def set_stock(sku: str, available: str) -> None:
    """Set how many of SKU are available.

    Example:  undo-desk stock set TEE-M-BLUE 25
    """
    from webapp.services.stock import put

    with open_desk() as desk:
        put(desk, sku, available)
    click.echo(f"{sku}: {available} available.")


@stock.command("show")
def show_stock() -> None:
    """Show what is available of each item, reservations taken off.

    Example:  undo-desk stock show
    """
    from webapp.services.stock import show

    with open_desk() as desk:
        items = show(desk)
    echo_table(
        ("sku", "available", "name"),
        [(item.sku, str(item.available), item.name) for item in items],
    )
