"""CONTRACT, `merge_key` over HTTP: 200 with the action that was joined, its key remembered."""

from typing import Any

import pytest

from tests.api.world import PAYLOADS, World, draft
from webapp.web.openapi import document


def say(world: World, text: str, key: str | None = None, **changes: Any) -> Any:
    """POST a reply with this body that may be joined."""
    payload = PAYLOADS["reply"] | {"body": text}
    return world.returns.post(
        "/actions", draft("reply", payload=payload, merge_key="m") | changes, key
    )


def test_a_merged_draft_answers_with_the_action_it_joined(world: World) -> None:
    first = say(world, "One", "a")
    second = say(world, "Two", "b")
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json["id"] == first.json["id"]
    assert second.json["payload"]["body"] == "One\n\nTwo"
    assert second.json["version"] == first.json["version"] + 1
    assert second.json["decision"]["because"][0] == "joined from 2 drafts"
    assert second.json["idempotency_key"] == first.json["idempotency_key"]
    assert second.json.keys() == first.json.keys()
    again = say(world, "Two", "b")
    assert (again.status_code, again.json) == (200, second.json)
    other = say(world, "Else", "b")
    assert (other.status_code, other.json["code"]) == (422, "key_reused")
    assert world.look(first.json["id"]) == second.json


def test_agents_follow_it_as_an_event(world: World) -> None:
    made = say(world, "One").json["id"]
    say(world, "Two")
    found = world.returns.get("/events").json["events"]
    assert [(one["verb"], one["from"], one["to"]) for one in found if one["action"] == made] == [
        ("drafted", None, "scheduled"),
        ("merged", "scheduled", "scheduled"),
    ]
    assert world.shop.get("/events").json["events"] == []


def test_another_agent_never_joins(world: World) -> None:
    say(world, "One")
    payload = PAYLOADS["reply"] | {"body": "Two"}
    answer = world.shop.post("/actions", draft("reply", payload=payload, merge_key="m"))
    assert (answer.status_code, answer.json["payload"]["body"]) == (201, "Two")


@pytest.mark.parametrize("kind", ["refund", "label", "exchange"])
def test_other_kinds_are_refused_by_the_field(still: World, kind: str) -> None:
    before = still.everything()
    answer = still.returns.post("/actions", draft(kind, merge_key="m"))
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json["errors"]] == ["/merge_key"]
    assert still.everything() == before


def test_the_description_knows_it() -> None:
    post = document("http://localhost")["paths"]["/api/v1/actions"]["post"]
    assert "501" not in post["responses"]
    schemas = document("http://localhost")["components"]["schemas"]
    assert "merge_key" in schemas["Draft"]["properties"]
