"""What a row says of a parent that failed, or whose outcome nobody knows."""

import re

from tests.api.world import World
from tests.pages.test_feed import rows
from webapp.domain.states import State


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_held_child_says_what_failed_and_that_it_can_run_without(world: World) -> None:
    """DESIGN, States; the story tells of the dropped dependency afterwards."""
    world.policy("reply", on_parent_failed="hold")
    parent = world.returns.draft("refund")
    child = world.returns.draft("reply", depends_on=[parent["id"]])
    world.run(parent["id"], State.FAILED)
    assert world.look(child["id"])["state"] == "held"
    said = text(rows(world.ana)[child["id"]])
    assert "It depends on the refund , which failed. Released, it runs without it." in said
    assert "depends on 0" not in said
    assert world.ana.post(f"/actions/{child['id']}/release").status_code == 200
    assert world.look(child["id"])["depends_on"] == []
    story = text(world.ana.client.get(f"/actions/{child['id']}").text)
    assert "released by Ana, without what it depended on and had failed" in story
    assert "held by the policy: what it depends on has failed" in story


def test_a_child_of_an_unknown_one_says_so(world: World) -> None:
    """DESIGN, States: it waits, and says so."""
    parent = world.returns.draft("refund")
    child = world.returns.draft("reply", depends_on=[parent["id"]])
    world.run(parent["id"], State.UNKNOWN)
    said = text(rows(world.ana)[child["id"]])
    assert "Waits for the refund (outcome unknown)." in said
