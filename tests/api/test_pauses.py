"""Pauses: who is stopped, and that cancelling goes on."""

import pytest

from tests.api.world import WORKER, World
from webapp.domain.times import SECOND
from webapp.store import claims


def claimed(world: World) -> set[str]:
    taken = world.db.transact(lambda tx: claims.claim(tx, WORKER, 100, 60 * SECOND))
    return {one.id for one in taken}


@pytest.mark.parametrize(
    ("scope", "stopped"),
    [({}, {"mine", "reply", "theirs"}), ({"agent": "returns"}, {"mine", "reply"}),
     ({"kind": "reply"}, {"reply"}), ({"agent": "shop", "kind": "reply"}, set())],
)  # fmt: skip
def test_a_pause_stops_claims_until_it_ends(
    world: World, scope: dict[str, str], stopped: set[str]
) -> None:
    for kind in ("refund", "reply"):
        world.policy(kind, mode="immediate")
    made = world.ana.post("/pauses", {**scope, "reason": "looking"})
    assert made.status_code == 201
    assert made.json | {"id": 0, "paused_at": ""} == {
        "id": 0, "agent": scope.get("agent"), "kind": scope.get("kind"), "reason": "looking",
        "paused_by": "staff:ana@example.com", "paused_at": "",
    }  # fmt: skip
    assert world.ana.get("/pauses").json == {"items": [made.json]}
    ids = {
        "mine": world.returns.draft("refund")["id"],
        "reply": world.returns.draft("reply")["id"],
        "theirs": world.shop.draft("refund")["id"],
    }
    assert claimed(world) == {ids[name] for name in ids if name not in stopped}
    path = f"/pauses/{made.json['id']}"
    ended = world.ana.call("DELETE", path)
    assert (ended.status_code, ended.text) == (204, "")
    assert world.ana.get("/pauses").json == {"items": []}
    assert world.ana.call("DELETE", path).status_code == 404


def test_cancel_goes_on_under_a_pause(world: World) -> None:
    action = world.returns.draft()["id"]
    world.ana.post("/pauses", {"reason": "looking"})
    assert world.returns.post(f"/actions/{action}/cancellation").json["result"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/reason"),
        ({"reason": " "}, "/reason"),
        ({"reason": "r", "kind": "payment"}, "/kind"),
        ({"reason": "r", "agent": "nobody"}, "/agent"),
        ({"reason": "r", "agent": 5}, "/agent"),
        ({"reason": "r", "until": "tomorrow"}, "/until"),
    ],
)
def test_a_pause_of_nothing_is_refused(still: World, body: dict[str, object], pointer: str) -> None:
    answer = still.ana.post("/pauses", body)
    assert answer.status_code == 400
    assert answer.json["errors"][0]["pointer"] == pointer
    assert still.ana.get("/pauses").json == {"items": []}


@pytest.mark.parametrize("pause_id", ["7", "0", "-1", "x", "9" * 30, "1.5", "%00"])
def test_a_pause_that_is_not_there(still: World, pause_id: str) -> None:
    answer = still.ana.call("DELETE", f"/pauses/{pause_id}")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
