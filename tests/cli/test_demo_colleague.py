"""The demo's colleague, before a desk in this process: nothing piles up, and nothing is hurried."""

import threading
from random import Random
from typing import Any

import pytest

from tests.api.world import World
from tests.pages.test_feed import rows
from webapp.demo.colleague import AT_MOST, PATIENCE_SECONDS, Colleague, Waiting, settled_by, waiting
from webapp.demo.seed import PEOPLE
from webapp.domain.states import State
from webapp.store.engine import Database


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


class _There(Colleague):
    """Looks at this desk, as Ana."""

    def __init__(self, world: World) -> None:
        self.now = 0.0
        super().__init__("", PEOPLE[0], Random(1), threading.Event(), lambda: self.now)
        self._ana = world.ana
        self._signed_in = True

    def _get(self, path: str) -> str:
        return str(self._ana.client.get(path).text)

    def _post(self, path: str, body: dict[str, Any]) -> None:
        assert self._ana.client.post(
            path, json=body, headers={"X-CSRFToken": self._ana.csrf}
        ).status_code in (200, 201)


@pytest.mark.parametrize(
    "state", [State.AWAITING_APPROVAL, State.HELD, State.FAILED, State.UNKNOWN]
)
def test_whatever_waits_is_settled_but_not_before_its_time(world: World, state: State) -> None:
    world.put(state)
    colleague = _There(world)
    colleague.look()
    colleague.now = PATIENCE_SECONDS - 1
    colleague.look()
    assert len(waiting(colleague._get("/"))) == 1
    colleague.now = PATIENCE_SECONDS
    colleague.look()
    assert waiting(colleague._get("/")) == []


def test_of_many_the_oldest_are_settled_at_once(world: World) -> None:
    for _ in range(AT_MOST + 3):
        world.put(State.AWAITING_APPROVAL)
    colleague = _There(world)
    colleague.look()
    assert len(waiting(colleague._get("/"))) == AT_MOST
    assert len(rows(world.ana)) == AT_MOST + 3


def test_a_lost_race_is_taken_back_where_that_is_possible() -> None:
    lost = Waiting("a", "executed", 2, "correction")
    path, body = settled_by(lost, Random(1)) or ("", {})
    assert (path, body["name"]) == ("compensation", "correction")
    assert body["note"]
    assert settled_by(Waiting("a", "executed", 2, None), Random(1)) is None


def test_about_a_third_is_rejected_with_a_reason() -> None:
    random = Random(1)
    one = Waiting("a", "awaiting_approval", 1, None)
    calls = [settled_by(one, random) for _ in range(600)]
    rejected = [call for call in calls if call and call[0] == "rejection"]
    assert 150 < len(rejected) < 270
    assert all(body["reason"] for _, body in rejected)
