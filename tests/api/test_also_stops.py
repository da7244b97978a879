"""`cancel_also_stops`: what the API says of a cancel before it is asked for. Issue 3, 5."""

from tests.api.world import World
from webapp.domain.states import State


def test_it_is_what_the_cancel_then_takes(world: World) -> None:
    """To any depth; everywhere an action stands."""
    top = world.returns.draft()
    middle = world.returns.draft("reply", depends_on=[top["id"]])
    low = world.returns.draft("label", depends_on=[middle["id"]])
    told = {
        one["id"]: one["cancel_also_stops"] for one in world.returns.get("/actions").json["items"]
    }
    below = [middle["id"], low["id"]]
    assert told == {top["id"]: below, middle["id"]: below[1:], low["id"]: []}
    assert world.look(top["id"])["cancel_also_stops"] == below
    held = world.ana.post(f"/actions/{top['id']}/hold").json
    assert held["cancel_also_stops"] == below
    done = world.returns.post(f"/actions/{top['id']}/cancellation").json
    assert done["also_cancelled"] == sorted(below)
    assert done["action"]["cancel_also_stops"] == []
    assert world.look(middle["id"])["cancel_also_stops"] == []


def test_where_a_cancel_would_lose_there_is_nothing(world: World) -> None:
    """It would be recorded at most."""
    top = world.put(State.SCHEDULED)
    world.returns.draft("reply", depends_on=[top["id"]])
    world.claim(top["id"])
    assert world.look(top["id"])["cancel_also_stops"] == []
