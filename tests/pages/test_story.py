"""An action's page shows what goes out, and nothing that reads like something else."""

import html
import json
import re
from typing import Any

import pytest

from tests.api.world import World

URL = "https://shop.example.com/hook"


def _bodies(page: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)]


def _page(world: World, payload: dict[str, Any]) -> str:
    action = world.returns.draft("webhook", payload=payload)
    return str(world.ana.client.get(f"/actions/{action['id']}").text)


@pytest.mark.parametrize(
    "body",
    [{"a": {"b": [1, {"c": None}]}}, [], {}, True, False, "1", 1, "null", "", ["é", "<b>"]],
    ids=json.dumps,
)
def test_a_webhooks_bodies_are_shown_as_the_json_that_goes_out(world: World, body: object) -> None:
    undo = {"url": f"{URL}/undo", "body": body}
    page = _page(world, {"url": URL, "body": body, "undo": undo})
    shown = json.dumps(body, indent=2, ensure_ascii=False)
    assert _bodies(page) == [shown, shown]


def test_a_call_without_a_body_says_so(world: World) -> None:
    page = _page(world, {"url": URL, "body": None, "undo": {"url": f"{URL}/undo"}})
    assert _bodies(page) == []
    assert page.count("the call has no body") == 2


def test_what_hides_in_a_body_is_marked(world: World) -> None:
    (shown, _) = _bodies(
        _page(world, {"url": URL, "body": {"x": "\u202etxt"}, "undo": {"url": URL, "body": 1}})
    )
    assert "\u202e" not in shown
    assert "U+202E" in shown


def test_an_unsigned_call_says_so(world: World) -> None:
    payload = {"url": URL, "undo": {"url": f"{URL}/undo"}}
    words = "goes out unsigned: UNDO_DESK_WEBHOOK_SECRET is not set"
    assert words in _page(world, payload)
    world.settings.__dict__["webhook_secret"] = "whsec_c2VjcmV0"
    page = _page(world, payload)
    assert words not in page
    assert "<dd>signed</dd>" in page
