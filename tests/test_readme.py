"""The README's reference names every setting, command and route, or it is not true any more."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from webapp.cli import main
from webapp.config import Settings, variable
from webapp.web.routes import TABLE

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_is_named_with_its_default(field: str) -> None:
    row = re.search(rf"^\| `{variable(field)}` \| (.*?) \|", README, re.MULTILINE)
    assert row, variable(field)
    default = Settings.model_fields[field].default
    if isinstance(default, int | float):
        assert row[1] == f"`{default:g}`"


def _commands(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


@pytest.mark.parametrize(("name", "command"), list(_commands(main, "undo-desk")))
def test_every_command_is_named_with_its_options(name: str, command: click.Command) -> None:
    usage = " ".join(re.findall(rf"`{re.escape(name)}(?= |`)([^`]*)`", README))
    assert f"`{name}" in README
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert any(option in usage for option in parameter.opts), f"{name} {parameter.opts}"


def test_every_route_is_named() -> None:
    missing = [
        call for route in TABLE if f"`{(call := f'{route.method} {route.path}')}`" not in README
    ]
    assert not missing
