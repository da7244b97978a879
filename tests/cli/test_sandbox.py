"""`sandbox show`: what happened, and nothing made by looking."""

import json
import time
from collections.abc import Mapping
from pathlib import Path

from tests.cli.conftest import Run
from webapp.config import Settings
from webapp.connectors.base import EffectRequest
from webapp.connectors.registry import connectors

REFUND = {"payment": "pay_1", "amount": {"value": 1250, "currency": "INR"}, "reason": "tørn"}


def _effects(settings: Settings) -> str:
    known = connectors(settings)

    def send(kind: str, key: str, payload: Mapping[str, object]) -> str:
        deadline = time.monotonic() + 10
        return known[kind].send(EffectRequest(key, kind, payload, "a-1", 1, deadline)).provider_id

    refund = send("refund", "act_1", REFUND)
    send("refund.reversal", "act_2", {**REFUND, "refund": refund, "note": ""})
    known["refund"].ledger.close()  # type: ignore[attr-defined]  # the sandbox's
    return refund


def test_every_effect_is_shown_oldest_first(run: Run, here: Path) -> None:
    refund = _effects(Settings())
    first, second = json.loads(run("sandbox", "show", "--json").said)
    assert (first["key"], first["kind"], first["payload"]) == ("act_1", "refund", REFUND)
    assert (first["status"], first["reversed_by"]) == ("reversed", "act_2")
    assert first["at"].endswith("Z")
    assert (second["kind"], second["reverses"]) == ("refund.reversal", refund)
    lines = run("sandbox", "show").said.splitlines()
    assert len(lines) == 3
    assert "tørn" in lines[1]
    assert "act_2" in lines[1]


def test_where_nothing_happened_nothing_is_made(run: Run, here: Path) -> None:
    assert run("sandbox", "show", "--json").said == "[]\n"
    assert len(run("sandbox", "show").said.splitlines()) == 1
    assert not list(here.iterdir())


def test_a_file_that_is_no_ledger_is_refused(run: Run, here: Path) -> None:
    (here / "ledger").write_text("Dear desk, " * 100)
    assert "not a database" in run("sandbox", "show", sandbox_path="ledger").refusal
