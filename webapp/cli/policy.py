"""`settings show` and `settings set`: the policy table."""

from typing import TYPE_CHECKING

import click

from webapp.cli.held import echo_held
from webapp.cli.opening import open_desk
from webapp.cli.table import echo_table

if TYPE_CHECKING:
    from webapp.services.desk import Desk

_COLUMNS = ("mode", "window_seconds", "margin_seconds")


@click.group()
def settings() -> None:
    """The policy table: what each kind of action may do by itself.

    Example:  undo-desk settings set refund mode=window window_seconds=300
    """


@settings.command("show")
@click.argument("kind", required=False)
def show_settings(kind: str | None) -> None:
    """Show the table, or all keys of KIND as `settings set` takes them.

    Example:  undo-desk settings show refund
    """
    from webapp.domain.policy import default_policy
    from webapp.services.settings import show

    with open_desk() as desk:
        rows = show(desk, kind)
    if kind is not None:
        for key, value in rows[kind].items():
            click.echo(f"{key}={_text(value)}")
        return
    lines = []
    for name, row in rows.items():
        usual = default_policy(name).model_dump(mode="json")
        others = [
            f"{key}={_text(value)}"
            for key, value in row.items()
            if key not in _COLUMNS and value != usual[key]
        ]
        lines.append((name, *(_text(row[key]) for key in _COLUMNS), " ".join(others)))
    echo_table(("kind", *_COLUMNS, "other keys that differ from their defaults"), lines)


@settings.command("set")
@click.argument("kind")
@click.argument("values", metavar="KEY=VALUE…", nargs=-1, required=True)
@click.option(
    "--hold-scheduled", is_flag=True, help="with mode=off: also hold what is scheduled already"
)
def set_settings(kind: str, values: tuple[str, ...], hold_scheduled: bool) -> None:
    """Change keys of KIND, all of them or none.

    mode=window and mode=immediate need a way back and connectors that pass their self-check.

    \b
    Examples:
      undo-desk settings set refund mode=window window_seconds=300
      undo-desk settings set refund approval_above=500000:INR,10000:USD
      undo-desk settings set webhook mode=off --hold-scheduled
    """
    from webapp.services.caller import Caller
    from webapp.services.settings import change

    wanted = pairs(values)
    with open_desk() as desk:
        by = Caller.command().actor
        row, held = change(desk, kind, wanted, by, hold_scheduled=hold_scheduled)
        left = [] if hold_scheduled or row.mode != "off" else _scheduled(desk, kind)
    now = row.model_dump(mode="json")
    click.echo(f"{kind}: {' '.join(f'{key}={_text(now[key])}' for key in wanted)}")
    more = "+" if len(left) == _MOST else ""
    echo_held(held if hold_scheduled else None, f"{len(left)}{more}" if left else "")


_MOST = 200


def _scheduled(desk: "Desk", kind: str) -> list[str]:
    from webapp.services.caller import Caller
    from webapp.services.read import newest

    found = newest(desk, Caller.command(), limit=_MOST, state="scheduled", kind=kind)
    return [action.id for action in found]


def pairs(values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="KEY=VALUE")
        if key in pairs:
            raise click.BadParameter(f"{key} is given twice", param_hint="KEY=VALUE")
        pairs[key] = value
    return pairs


def _text(value: object) -> str:
    return "none" if value is None else str(value)
