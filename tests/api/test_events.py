"""Following: in order, nothing skipped, nothing twice, and waiting that costs nobody else."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.world import World
from tests.fixtures.desk import wait_until
from webapp.serve import STOPPING
from webapp.web.api import events, waiters


def test_every_transition_in_order(world: World) -> None:
    action = world.returns.draft()["id"]
    world.ana.post(f"/actions/{action}/hold", {"reason": "asking"})
    world.ana.post(f"/actions/{action}/release")
    world.returns.post(f"/actions/{action}/cancellation")
    body = world.returns.get("/events").json
    assert list(body) == ["events", "cursor"]
    first = body["events"][0]
    assert {"id", "action", "kind", "from", "to", "at", "actor", "data"} <= first.keys()
    assert [(one["from"], one["to"]) for one in body["events"]] == [
        (None, "scheduled"),
        ("scheduled", "held"),
        ("held", "scheduled"),
        ("scheduled", "cancelled"),
    ]
    assert body["events"][1]["actor"] == "staff:ana@example.com"
    assert body["events"][1]["data"]["reason"] == "asking"


@pytest.mark.parametrize("reader", ["returns", "ana"])
def test_pages_by_cursor_skip_and_repeat_nothing(world: World, reader: str) -> None:
    """blockscout/blockscout#690: rows must not move under the cursor."""
    who = getattr(world, reader)
    made = [world.returns.draft()["id"] for _ in range(3)]
    seen, cursor = [], None
    for _ in range(20):
        query = "?limit=2" if cursor is None else f"?limit=2&after={cursor}"
        body = who.get(f"/events{query}").json
        seen += [one["action"] for one in body["events"]]
        cursor = body["cursor"]
        if not body["events"]:
            break
        world.shop.draft()
        made += [world.returns.draft()["id"]] if len(made) < 8 else []
    assert [one for one in seen if one in made] == made
    if reader == "returns":
        assert seen == made


def test_the_cursor_of_an_empty_answer_can_be_used(world: World) -> None:
    for who in (world.returns, world.ana):
        cursor = who.get("/events").json["cursor"]
        assert who.get(f"/events?after={cursor}").json["events"] == []
    start = world.returns.get("/events").json["cursor"]
    mine = world.returns.draft()["id"]
    found = world.returns.get(f"/events?after={start}").json
    assert [one["action"] for one in found["events"]] == [mine]


def test_an_agents_cursor_moves_past_what_is_not_its_own(world: World) -> None:
    before = world.shop.get("/events").json["cursor"]
    world.returns.draft()
    assert world.shop.get(f"/events?after={before}").json["cursor"] != before


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("after=x", "/after"),
        ("after=", "/after"),
        ("after=1", "/after"),
        ("after=1.2.3", "/after"),
        ("after=-1.0", "/after"),
        ("after=" + "9" * 30 + ".1", "/after"),
        ("after=%00", "/after"),
        ("wait=31", "/wait"),
        ("wait=-1", "/wait"),
        ("wait=nan", "/wait"),
        ("wait=inf", "/wait"),
        ("wait=soon", "/wait"),
        ("limit=0", "/limit"),
        ("limit=501", "/limit"),
        ("since=1.2", "/since"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_named(still: World, query: str, pointer: str) -> None:
    answer = still.ana.get(f"/events?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.json["errors"][0]["pointer"] == pointer


def _waiting(world: World) -> Callable[[], bool]:
    hub: waiters.Waiters = world.app.extensions[events.EXTENSION]
    return lambda: hub.count > 0


def test_who_waits_is_told_of_the_first_event(world: World) -> None:
    cursor = world.returns.get("/events").json["cursor"]
    with ThreadPoolExecutor(1) as pool:
        begun = time.monotonic()
        asked = pool.submit(world.returns.get, f"/events?after={cursor}&wait=20")
        wait_until(_waiting(world))
        made = world.returns.draft()["id"]
        answer = asked.result(15)
    assert [one["action"] for one in answer.json["events"]] == [made]
    assert time.monotonic() - begun < 15
    assert not _waiting(world)()


def test_others_events_do_not_end_an_agents_wait(world: World) -> None:
    cursor = world.returns.get("/events").json["cursor"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(world.returns.get, f"/events?after={cursor}&wait=20")
        wait_until(_waiting(world))
        world.shop.draft()
        made = world.returns.draft()["id"]
        assert [one["action"] for one in asked.result(15).json["events"]] == [made]


def test_a_wait_ends_when_nothing_comes(world: World) -> None:
    cursor = world.ana.get("/events").json["cursor"]
    begun = time.monotonic()
    answer = world.ana.get(f"/events?after={cursor}&wait=0.2")
    assert answer.json["events"] == []
    assert time.monotonic() - begun >= 0.2


def test_a_wait_ends_when_the_process_does(world: World) -> None:
    assert events.STOPPING == STOPPING
    stopping = world.app.extensions[STOPPING] = threading.Event()
    cursor = world.ana.get("/events").json["cursor"]
    with ThreadPoolExecutor(1) as pool:
        begun = time.monotonic()
        asked = pool.submit(world.ana.get, f"/events?after={cursor}&wait=30")
        wait_until(_waiting(world))
        stopping.set()
        assert asked.result(20).status_code == 200
    assert time.monotonic() - begun < 20


def test_waiting_holds_no_database_connection(world: World) -> None:
    cursor = world.ana.get("/events").json["cursor"]
    stopping = world.app.extensions[STOPPING] = threading.Event()
    connections: Any = world.db._auto.pool
    kept = connections.checkedout()  # SQLite's writer keeps its own
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(world.ana.get, f"/events?after={cursor}&wait=30")
        wait_until(_waiting(world))
        wait_until(lambda: connections.checkedout() == kept)
        stopping.set()
        asked.result(20)


def test_too_many_waiting_are_answered_at_once(world: World) -> None:
    """A cancel always finds a thread: waiting ends at half of them, and at four a caller."""
    cursor = world.ana.get("/events").json["cursor"]
    path = f"/events?after={cursor}&wait=30"
    stopping = world.app.extensions[STOPPING] = threading.Event()
    hub: waiters.Waiters = world.app.extensions[events.EXTENSION]
    with ThreadPoolExecutor(waiters.MOST_OF_ONE) as pool:
        for _ in range(waiters.MOST_OF_ONE):
            pool.submit(world.ana.get, path)
        wait_until(lambda: hub.count == waiters.MOST_OF_ONE)
        answer = world.ana.get(path)
        assert answer.json == {"events": [], "cursor": cursor}
        assert answer.headers["Retry-After"] == "1"
        with hub.place("somebody else") as room:
            assert room
        stopping.set()
    with pytest.MonkeyPatch.context() as patch:  # everybody together
        patch.setattr(waiters, "MOST", 0)
        assert "Retry-After" in world.ida.get(path).headers
