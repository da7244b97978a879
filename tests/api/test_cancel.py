"""Cancelling: each answer of the contract's table, word for word."""

from datetime import datetime
from typing import Any

import pytest

from tests.api.world import World
from webapp.domain.states import CANCELLABLE, State
from webapp.domain.times import SECOND

RECEIPT = ["won_by", "cancel_received_at", "claimed_at", "execute_at", "margin_ms"]


def cancel(world: World, action_id: str, body: Any = None, key: str | None = None) -> Any:
    return world.returns.post(f"/actions/{action_id}/cancellation", body, key)


def ms_between(earlier: str, later: str) -> float:
    apart = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return apart.total_seconds() * 1000


@pytest.mark.parametrize("state", sorted(CANCELLABLE))
def test_cancel_wins_from(world: World, state: State) -> None:
    action = world.put(state)
    answer = cancel(world, action["id"], {"reason": "wrong order"})
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    body = answer.json
    assert list(body) == ["result", "action", "receipt", "also_cancelled"]
    assert (body["result"], body["also_cancelled"]) == ("cancelled", [])
    cancelled = body["action"]
    assert cancelled["state"] == "cancelled"
    assert cancelled["cancelled_by"] == "agent:returns"
    assert cancelled["cancel_reason"] == "wrong order"
    assert cancelled["finished_at"] == cancelled["cancelled_at"]
    receipt = body["receipt"]
    assert list(receipt) == RECEIPT
    assert (receipt["won_by"], receipt["claimed_at"]) == ("cancel", None)
    if state is State.SCHEDULED:
        left = ms_between(receipt["cancel_received_at"], receipt["execute_at"])
        assert abs(receipt["margin_ms"] - left) <= 1
    else:  # a stopped clock is no time to beat
        assert receipt["execute_at"] is None
        assert receipt["margin_ms"] is None


def test_an_overdue_action_is_still_cancelled_and_the_margin_is_negative(world: World) -> None:
    """Promise 2: the state decides, not the clock."""
    world.policy("refund", mode="immediate")
    action = world.returns.draft()
    while world.db.now() // SECOND == datetime.fromisoformat(action["execute_at"]).timestamp():
        pass
    answer = cancel(world, action["id"])
    assert answer.json["result"] == "cancelled"
    assert answer.json["receipt"]["margin_ms"] < 0


def test_descendants_are_taken_along_and_named(world: World) -> None:
    parent = world.returns.draft()
    child = world.returns.draft("reply", depends_on=[parent["id"]])
    grandchild = world.returns.draft("reply", depends_on=[child["id"]])
    answer = cancel(world, parent["id"])
    assert sorted(answer.json["also_cancelled"]) == sorted([child["id"], grandchild["id"]])
    assert world.look(grandchild["id"])["state"] == "cancelled"


def test_the_same_key_gives_the_same_answer(world: World) -> None:
    parent = world.returns.draft()
    world.returns.draft("reply", depends_on=[parent["id"]])
    first = cancel(world, parent["id"], key="c-1")
    assert first.json["result"] == "cancelled"
    assert cancel(world, parent["id"], key="c-1").json == first.json


def test_another_call_is_told_who_had_cancelled(world: World) -> None:
    action = world.returns.draft()
    world.ana.post(f"/actions/{action['id']}/cancellation")
    for key in (None, "c-1"):
        answer = cancel(world, action["id"], key=key)
        assert answer.status_code == 200
        assert list(answer.json) == ["result", "action"]
        assert answer.json["result"] == "already_cancelled"
        assert answer.json["action"]["cancelled_by"] == "staff:ana@example.com"
        assert answer.json["action"]["cancelled_at"]


def test_the_key_of_another_is_not_ones_own(world: World) -> None:
    action = world.returns.draft()
    world.ana.post(f"/actions/{action['id']}/cancellation", key="c-1")
    assert cancel(world, action["id"], key="c-1").json["result"] == "already_cancelled"


@pytest.mark.parametrize(
    ("state", "available", "recorded"),
    [
        (State.EXECUTING, False, True),
        (State.EXECUTED, True, False),
        (State.UNKNOWN, False, True),
    ],
)
def test_too_late(world: World, state: State, available: bool, recorded: bool) -> None:
    """dbos-inc/dbos-transact-py#767: a cancel that lost must not vanish without a word."""
    action = world.put(state)
    answer = cancel(world, action["id"], key="c-1")
    assert answer.status_code == 409
    assert answer.mimetype == "application/json"
    body = answer.json
    assert list(body) == [
        "result", "state", "action", "receipt", "next_steps", "cancel_recorded",
    ]  # fmt: skip
    assert (body["result"], body["state"]) == ("too_late", state)
    assert body["action"]["state"] == state
    assert body["cancel_recorded"] is recorded
    receipt = body["receipt"]
    assert list(receipt) == RECEIPT
    assert receipt["won_by"] == "claim"
    behind = ms_between(receipt["claimed_at"], receipt["cancel_received_at"])
    assert abs(receipt["margin_ms"] - behind) <= 1
    assert body["next_steps"] == [
        {
            "name": "reversal",
            "label": "Take the refund back",
            "url": f"http://localhost/api/v1/actions/{action['id']}/compensation",
            "available": available,
        }
    ]
    again = cancel(world, action["id"], key="c-1")
    assert (again.status_code, again.json) == (409, body)


def test_the_next_step_can_be_followed(world: World) -> None:
    action = world.put(State.EXECUTED)
    step = cancel(world, action["id"]).json["next_steps"][0]
    path = step["url"].removeprefix("http://localhost/api/v1")
    answer = world.ana.post(path, {"name": step["name"]})
    assert (answer.status_code, answer.json["compensates"]) == (201, action["id"])


@pytest.mark.parametrize("state", [State.REJECTED, State.FAILED])
def test_what_ended_without_an_effect_is_not_cancellable(world: World, state: State) -> None:
    action = world.put(state)
    answer = cancel(world, action["id"])
    assert answer.status_code == 409
    assert answer.mimetype == "application/problem+json"
    assert answer.json["code"] == "not_cancellable"


def test_a_stale_version_is_refused_while_it_could_be_cancelled(world: World) -> None:
    action = world.returns.draft()
    world.ana.post(f"/actions/{action['id']}/extension", {"seconds": 5})
    stale = cancel(world, action["id"], {"version": action["version"]})
    assert (stale.status_code, stale.json["code"]) == (409, "changed")
    assert world.look(action["id"])["state"] == "scheduled"
    fresh = {"version": world.look(action["id"])["version"]}
    assert cancel(world, action["id"], fresh).json["result"] == "cancelled"


def test_cancel_needs_no_body(world: World) -> None:
    action = world.returns.draft()
    answer = world.returns.call("POST", f"/actions/{action['id']}/cancellation")
    assert answer.json["result"] == "cancelled"


def test_long_keys_that_differ_at_the_end_are_two_keys(world: World) -> None:
    action = world.returns.draft()
    assert cancel(world, action["id"], key="k" * 254 + "1").json["result"] == "cancelled"
    other = cancel(world, action["id"], key="k" * 254 + "2")
    assert other.json["result"] == "already_cancelled"
