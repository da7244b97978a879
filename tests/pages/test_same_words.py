"""The page and `settings set` refuse the same bad values, in the same words."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from click.testing import CliRunner

from tests.api.world import World
from tests.pages.admin import form, policy, post
from tests.services.test_gate import no_way_back
from webapp.cli import main

__all__ = ["no_way_back"]

BAD = [
    ("refund", "mode", "sometimes"),
    ("refund", "mode", ""),
    ("refund", "window_seconds", "-1"),
    ("refund", "window_seconds", "604801"),
    ("refund", "window_seconds", "five"),
    ("refund", "window_seconds", ""),
    ("refund", "window_seconds", "1.5"),
    ("refund", "margin_seconds", "61"),
    ("refund", "approved_window_seconds", "3601"),
    ("refund", "approval_above", "5000 INR"),
    ("refund", "approval_above", "5:XXQ"),
    ("refund", "approval_above", "-5:INR"),
    ("refund", "long_window_above", "1:INR,2:INR"),
    ("refund", "long_window_seconds", "604801"),
    ("refund", "flagged", "perhaps"),
    ("refund", "max_attempts", "0"),
    ("refund", "max_attempts", "101"),
    ("refund", "max_overdue_seconds", "0"),
    ("refund", "on_parent_failed", "ignore"),
    ("refund", "speed", "9"),
    ("refund", "first_of_kind", "perhaps"),
    ("refund", "likely_duplicate", "no"),
    ("refund", "desk_hours", "nine to five"),
    ("refund", "desk_hours", "Mon 18:00-09:00"),
    ("refund", "burst", "5"),
    ("refund", "burst", "0/60"),
    ("refund", "spend", "500000/60"),
    ("refund", "spend", "5:XXQ/60"),
    ("webhook", "allow_no_undo", "<b>"),
    ("exchange", "reservation_seconds", "60"),
    ("refund.reversal", "mode", "off"),
]


@pytest.fixture
def command(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What `settings set` says where it refuses: one line."""
    monkeypatch.setenv("UNDO_DESK_DATABASE_URL", database_url)

    def run(kind: str, *values: str) -> str:
        result = CliRunner().invoke(main, ["settings", "set", kind, *values])
        assert result.exit_code == 1, result.output
        return result.stderr.removeprefix("Error: ").rstrip("\n")

    return run


def on_page(world: World, kind: str, **values: str) -> str:
    """What the form says at a field: `key: words`."""
    answer = post(world.ida, f"/settings/{kind}", form(world.ida, kind) | values)
    assert answer.code == 400
    at_field = re.findall(r'id="([a-z_]+)-error">(.*?)</p>', answer.html)
    elsewhere = re.findall(r"<b>Nothing is saved\.</b> (.*?)</p>", answer.html)
    [said] = [f"{key}: {words}" for key, words in at_field] or elsewhere
    return unescape(said)


@pytest.mark.parametrize(("kind", "key", "value"), BAD)
def test_a_bad_value(
    world: World, command: Callable[..., str], kind: str, key: str, value: str
) -> None:
    """Issue 4."""
    before = policy(world, kind)
    said = on_page(world, kind, **{key: value})
    assert said == command(kind, f"{key}={value}")
    assert said.startswith(f"{key}: ")
    assert policy(world, kind) == before


@pytest.mark.usefixtures("no_way_back")
@pytest.mark.parametrize("mode", ["window", "immediate"])
def test_a_kind_without_a_way_back(world: World, command: Callable[..., str], mode: str) -> None:
    """Promise 12; and the page says which step is missing before anybody tries."""
    world.policy("refund", mode="approval")
    said = on_page(world, "refund", mode=mode)
    assert said == command("refund", f"mode={mode}")
    assert said.startswith(f"mode: {mode} is not possible yet: its way back: there is none")
    page = world.ida.client.get("/settings/refund").text
    assert "<b>Missing:</b> <span>its way back: there is none" in page
    assert policy(world, "refund")["mode"] == "approval"
