"""Flagging a customer asks about what is scheduled for them, and can hold it."""

import pytest

from tests.api.world import World
from tests.pages.admin import get, post
from webapp.domain.states import State
from webapp.services import customers

HERE = "/settings/customers"
SAID = {"ref": "c-17", "reason": "three <refunds>"}


def flagged(world: World) -> list[str]:
    return [one.ref for one in customers.flags(world.desk)]


def test_it_asks_with_the_count_before_anything_is_written(world: World) -> None:
    made = [world.returns.draft()["id"], world.shop.draft("reply")["id"]]
    world.returns.draft(customer={"ref": "c-18"})
    asked = post(world.ida, HERE, SAID)
    assert asked.code == 200
    assert "Not flagged yet. 2 scheduled, the next due in 10:" in asked.text
    assert "1 × Refund, next in 10:" in asked.text
    assert "Flag, and hold 2" in asked.text
    assert 'name="reason" value="three &lt;refunds&gt;"' in asked.html
    assert flagged(world) == []
    assert {world.look(one)["state"] for one in made} == {"scheduled"}


def test_what_is_wrong_stands_at_its_field(world: World) -> None:
    answer = post(world.ida, HERE, {"ref": "c-17", "reason": "x" * 5001})
    assert answer.code == 400
    assert '<p class="error" id="reason-error">must have at most 5000 characters' in answer.html
    assert 'id="ref-error"' not in answer.html
    assert 'id="ref-error"' in post(world.ida, HERE, {"ref": ""}).html
    assert flagged(world) == []


def test_held_with_the_flag_as_its_reason(world: World) -> None:
    made = [world.returns.draft()["id"], world.shop.draft("reply")["id"]]
    other = world.returns.draft(customer={"ref": "c-18"})["id"]
    assert post(world.ida, HERE, {**SAID, "scheduled": "hold"}).code == 303
    assert flagged(world) == ["c-17"]
    assert {world.look(one)["state"] for one in made} == {"held"}
    assert world.look(other)["state"] == "scheduled"
    page = get(world.ida, HERE)
    assert "Flagged c-17." in page.text
    assert "Held: 2." in page.text
    feed = get(world.ana, "/")
    assert "the customer was flagged: three &lt;refunds&gt;" in feed.html
    assert "by Ida" in feed.text


def test_left_to_run_when_somebody_says_so(world: World) -> None:
    made = world.returns.draft()["id"]
    assert post(world.ida, HERE, {**SAID, "scheduled": "leave"}).code == 303
    assert flagged(world) == ["c-17"]
    assert world.look(made)["state"] == "scheduled"


@pytest.mark.parametrize("state", [State.HELD, State.EXECUTING, State.EXECUTED])
def test_nothing_scheduled_is_nothing_to_ask(world: World, state: State) -> None:
    world.put(state)
    assert post(world.ida, HERE, SAID).code == 303
    assert flagged(world) == ["c-17"]


def test_what_ran_meanwhile_is_not_called_held(world: World) -> None:
    made = world.returns.draft()["id"]
    assert post(world.ida, HERE, SAID).code == 200
    world.run(made, State.EXECUTED)
    assert post(world.ida, HERE, {**SAID, "scheduled": "hold"}).code == 303
    assert "Nothing is held: it was not scheduled any more." in get(world.ida, HERE).text
