"""`sandbox show`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.opening import read_settings
from webapp.cli.table import echo_table
from webapp.domain.times import to_rfc3339

if TYPE_CHECKING:
    from webapp.connectors.sandbox.ledger import Entry


@click.group()
def sandbox() -> None:
    """What the sandbox connectors did instead of the world.

    Example:  undo-desk sandbox show
    """


@sandbox.command("show")
@click.option("--json", "as_json", is_flag=True, help="one JSON array, for programs")
def show_sandbox(as_json: bool) -> None:
    """Show every effect, oldest first: key, kind, payload, time, reversals.

    Example:  undo-desk sandbox show --json
    """
    from webapp.connectors.registry import ledger

    settings = read_settings()
    entries: list[Entry] = []
    if Path(settings.sandbox_path).is_file():
        opened = ledger(settings)
        try:
            entries = opened.entries()[::-1]
        finally:
            opened.close()
    now = time.time_ns() // 1000
    if as_json:
        body = [_as_json(entry, now) for entry in entries]
        click.echo(json.dumps(body, ensure_ascii=False, indent=1))
        return
    echo_table(
        ("time", "kind", "status", "key", "provider id", "reverses", "reversed by", "payload"),
        [_as_row(entry, now) for entry in entries],
    )


def _as_json(entry: "Entry", now: int) -> dict[str, Any]:
    return {
        "key": entry.key,
        "kind": entry.kind,
        "payload": entry.payload,
        "action": entry.action_id,
        "provider_id": entry.provider_id,
        "status": entry.status(now),
        "at": to_rfc3339(entry.at),
        "settled_at": to_rfc3339(entry.settled_at),
        "reverses": entry.reverses,
        "reversed_by": entry.reversed_by,
    }


def _as_row(entry: "Entry", now: int) -> tuple[str, ...]:
    return (
        to_rfc3339(entry.at),
        entry.kind,
        entry.status(now),
        entry.key,
        entry.provider_id,
        entry.reverses or "",
        entry.reversed_by or "",
        json.dumps(entry.payload, ensure_ascii=False),
    )
