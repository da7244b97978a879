"""`POST /signals`: the contract's two lists, for agents and staff, and what is refused."""

from typing import Any

import pytest

from tests.api.world import World
from webapp.domain.states import State

REPLIED = {"type": "customer_replied", "customer": "c-17"}


def test_staff_and_agents_tell(world: World) -> None:
    mine, theirs = world.returns.draft()["id"], world.shop.draft("reply")["id"]
    crm = world.agent("crm", "signal")
    answer = crm.post("/signals", REPLIED)
    assert (answer.status_code, answer.json) == (200, {"held": [mine, theirs], "too_late": []})
    assert {world.look(one)["state"] for one in (mine, theirs)} == {"held"}
    event = world.ana.get("/events").json["events"][-1]
    assert event["data"] == {"reason": "the customer replied", "signal": "customer_replied"}
    # an id is no way in
    assert crm.get(f"/actions/{mine}").status_code == 403
    assert world.shop.get(f"/actions/{mine}").status_code == 404
    again = world.shop.draft("reply")["id"]
    order = {"type": "order_changed", "order": "o-99", "note": "two instead of one"}
    assert world.ana.post("/signals", order).json == {"held": [again], "too_late": []}


def test_what_ran_is_too_late(world: World) -> None:
    done = [world.put(one)["id"] for one in (State.EXECUTED, State.UNKNOWN, State.EXECUTING)]
    world.put(State.CANCELLED)
    answer = world.shop.post("/signals", REPLIED)
    assert answer.json == {"held": [], "too_late": done}


def test_a_held_row_is_released_or_cancelled(world: World) -> None:
    one, other = world.returns.draft()["id"], world.returns.draft()["id"]
    world.returns.post("/signals", REPLIED)
    assert world.ana.post(f"/actions/{one}/release").json["state"] == "scheduled"
    assert world.returns.post(f"/actions/{other}/cancellation").json["result"] == "cancelled"


def test_a_repeat_with_its_key_is_answered_alike(world: World) -> None:
    made = world.returns.draft()["id"]
    first = world.shop.post("/signals", REPLIED, key="k-1")
    world.ana.post(f"/actions/{made}/release")
    again = world.shop.post("/signals", REPLIED, key="k-1")
    assert (again.status_code, again.json) == (200, first.json)
    assert world.look(made)["state"] == "scheduled"
    other = world.shop.post("/signals", {**REPLIED, "customer": "c-1"}, key="k-1")
    assert (other.status_code, other.json["code"]) == (422, "key_reused")
    assert world.returns.post("/signals", REPLIED, key="k-1").json["held"] == [made]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/type"]),
        ({"customer": "c-17"}, ["/type"]),
        ({"type": "customer_replied"}, ["/customer", "/order"]),
        ({**REPLIED, "customer": None}, ["/customer", "/order"]),
        ({**REPLIED, "type": "customer_called"}, ["/type"]),
        ({**REPLIED, "type": None}, ["/type"]),
        ({**REPLIED, "type": ["customer_replied"]}, ["/type"]),
        ({**REPLIED, "customer": ""}, ["/customer"]),
        ({**REPLIED, "customer": 17}, ["/customer"]),
        ({**REPLIED, "customer": {"ref": "c-17"}}, ["/customer"]),
        ({**REPLIED, "order": "o" * 201}, ["/order"]),
        ({**REPLIED, "order": "o\x00"}, ["/order"]),
        ({**REPLIED, "note": 5}, ["/note"]),
        ({**REPLIED, "note": "n" * 5_001}, ["/note"]),
        ({**REPLIED, "hold": True}, ["/hold"]),
    ],
)
def test_what_is_wrong_is_named_and_holds_nothing(
    world: World, body: dict[str, Any], pointers: list[str]
) -> None:
    world.returns.draft()
    before = world.everything()
    for who in (world.returns, world.ana):
        answer = who.post("/signals", body, key="k")
        assert (answer.status_code, answer.json["code"]) == (400, "invalid")
        assert [error["pointer"] for error in answer.json["errors"]] == pointers
    assert world.everything() == before
    # a refusal is not remembered
    assert world.returns.post("/signals", REPLIED, key="k").status_code == 200


def test_it_is_described(still: World) -> None:
    document = still.ana.client.get("/api/openapi.json").json
    post = document["paths"]["/api/v1/signals"]["post"]
    assert set(post["responses"]) == {"200", "400", "401", "403", "413", "415", "422", "503"}
    assert "last 24 hours" in post["description"]
    said = document["components"]["schemas"]["Signal"]
    assert said["anyOf"] == [{"required": ["customer"]}, {"required": ["order"]}]
    assert "last 24 hours" in still.ana.client.get("/api/docs").text
