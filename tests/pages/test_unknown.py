"""An unknown outcome stands loud on the feed until somebody settles it. Promise 6."""

import re

import pytest

from tests.api.world import World
from tests.pages.test_failed_parent import text
from tests.pages.test_feed import press, rows
from webapp.domain.states import State
from webapp.services import screen

NEEDS = re.compile(r'<section class="group" data-group="needs".*?</section>', re.DOTALL)


def needed(html: str) -> str:
    found = NEEDS.search(html)
    assert found
    return found[0]


def test_it_stands_first_among_what_needs_a_person(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zammad/zammad#1239: found by luck, days later. Here: counted, named, until it is settled."""
    held, failed = world.put(State.HELD), world.put(State.FAILED)
    waiting, unknown = world.put(State.AWAITING_APPROVAL), world.put(State.UNKNOWN)
    monkeypatch.setattr(screen, "ENDED_SHOWN_FOR", -1)
    page = world.ana.client.get("/").text
    assert "<title>(3) Feed" in page  # what waits for approval is no trouble
    order = re.findall(r'<li class="action" data-action="([^"]+)"', needed(page))
    assert order == [unknown["id"], failed["id"], held["id"], waiting["id"]]
    said = text(rows(world.ana)[unknown["id"]])
    assert "Outcome unknown" in said
    assert "Nobody knows whether it happened" in said
    assert "Look at the provider, then say what you found." in said
    press(world.ana, unknown, "resolve", outcome="happened", note="it stands on their page")
    page = world.ana.client.get("/").text
    assert "<title>(2) Feed" in page
    assert unknown["id"] not in needed(page)
