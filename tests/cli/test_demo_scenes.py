"""What the demo's agent drafts: valid, consistent, and wrong only where it is meant to be."""

import threading
from collections import Counter
from random import Random
from typing import Any

import pytest

from webapp.demo import mistakes, scenes
from webapp.demo.agent import Agent, pick
from webapp.demo.client import Client
from webapp.demo.scenes import Cancel, Draft, Play, Stage
from webapp.demo.seed import POLICIES
from webapp.demo.shop import CUSTOMERS, FLAGGED, PRODUCTS
from webapp.domain.drafts import read_draft
from webapp.domain.money import thresholds

PLAYS = [play for play, _ in (*scenes.SCENES, *mistakes.MISTAKES)]
SEEDS = pytest.mark.parametrize("seed", range(5))
KNOWN = {one.ref: one for one in (*CUSTOMERS, FLAGGED)}
PRICES = {
    (product.name, cur): price for product in PRODUCTS for cur, price in product.prices.items()
}


def _stage(seed: int = 1) -> Stage:
    return Stage(Random(seed), "http://127.0.0.1:9")


def _played(play: Play, seed: int) -> list[Any]:
    """All steps of a scene whose drafts are all taken, as `a-0`, `a-1` …"""
    scene = play(_stage(seed))
    steps: list[Any] = []
    answer = None
    while True:
        try:
            step = scene.send(answer)
        except StopIteration:
            return steps
        answer = f"a-{len(steps)}" if isinstance(step, Draft) else None
        steps.append(step)


def _drafts(steps: list[Any]) -> list[dict[str, Any]]:
    return [step.body for step in steps if isinstance(step, Draft)]


@SEEDS
@pytest.mark.parametrize("play", PLAYS)
def test_every_draft_is_valid_and_about_one_customer_and_order(play: Play, seed: int) -> None:
    steps = _played(play, seed)
    ids = [f"a-{number}" for number, step in enumerate(steps) if isinstance(step, Draft)]
    for number, body in enumerate(_drafts(steps)):
        read_draft(body)
        assert set(body["depends_on"]) <= set(ids[:number])
        assert KNOWN[body["customer"]["ref"]].email == body["customer"]["email"]
    assert len({body["order"] for body in _drafts(steps)}) == 1
    assert len({body["customer"]["ref"] for body in _drafts(steps)}) == 1
    assert all(step.action_id in ids for step in steps if isinstance(step, Cancel))


@pytest.mark.parametrize("play", [play for play, _ in scenes.SCENES])
@SEEDS
def test_right_scenes_refund_no_more_than_was_paid_and_write_to_the_customer(
    play: Play, seed: int
) -> None:
    for body in _drafts(_played(play, seed)):
        if body["kind"] == "refund":
            amount = body["payload"]["amount"]
            assert amount["value"] <= 2 * max(PRICES.values())
            assert amount["currency"] == KNOWN[body["customer"]["ref"]].currency
        if body["kind"] == "reply":
            assert body["payload"]["to"] == body["customer"]["email"]
        if body["kind"] == "label":
            assert body["payload"]["from"]["city"] == KNOWN[body["customer"]["ref"]].city


@SEEDS
def test_mistakes_are_wrong_and_would_run(seed: int) -> None:
    limits = thresholds(POLICIES["refund"]["approval_above"])
    (ten,) = _drafts(_played(mistakes.ten_times, seed))
    amount = ten["payload"]["amount"]
    # below the limit, or nobody could be too late for it
    assert amount["value"] <= limits[amount["currency"]]
    paid = amount["value"] // 10
    assert paid in {product.prices[amount["currency"]] for product in PRODUCTS}
    first, second = _drafts(_played(mistakes.twice, seed))
    assert first["payload"]["amount"] == second["payload"]["amount"]
    assert first["payload"]["payment"] == second["payload"]["payment"]
    (astray,) = _drafts(_played(mistakes.to_somebody_else, seed))
    assert astray["payload"]["to"] != astray["customer"]["email"]
    (label,) = _drafts(_played(mistakes.wrong_city, seed))
    assert label["payload"]["from"]["city"] != KNOWN[label["customer"]["ref"]].city


def test_scenes_end_where_the_desk_refuses() -> None:
    for play in PLAYS:
        drafted = sum(isinstance(step, Draft) for step in play(_stage()))
        assert drafted <= 1, "what follows would depend on nothing"


def test_about_one_scene_in_six_is_wrong() -> None:
    stage = _stage()
    wrong = {play for play, _ in mistakes.MISTAKES}
    drawn = Counter(pick(stage) in wrong for _ in range(3_000))
    assert 400 < drawn[True] < 600
    assert {pick(stage) for _ in range(3_000)} == set(PLAYS)


class _Recorder(Client):
    """Takes everything; stops the agent after enough."""

    def __init__(self, enough: int, stopped: threading.Event) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.cancelled: list[str] = []
        self._enough = enough
        self._stopped = stopped

    def draft(self, body: dict[str, Any]) -> str | None:
        self.bodies.append(body)
        if len(self.bodies) >= self._enough:
            self._stopped.set()
        return f"a-{len(self.bodies)}"

    def cancel(self, action_id: str, reason: str) -> None:
        assert reason
        self.cancelled.append(action_id)


def test_the_agent_plays_scenes_through_and_mixes_them() -> None:
    stopped = threading.Event()
    client = _Recorder(300, stopped)
    agent = Agent(client, _stage(), per_minute=600_000, opening=None, stopped=stopped)
    agent.start()
    assert stopped.wait(20)
    assert {body["kind"] for body in client.bodies} == {
        *("refund", "label", "reply", "exchange", "webhook"),
    }
    assert {body["payload"].get("amount", {}).get("currency") for body in client.bodies} >= {
        *("INR", "USD", "EUR"),
    }
    # dependants come, they name what was drafted, and the agent takes something back itself
    depending = [body for body in client.bodies if body["depends_on"]]
    assert len(depending) > 50
    for number, body in enumerate(client.bodies, 1):
        for parent in body["depends_on"]:
            assert int(parent.removeprefix("a-")) < number
    assert client.cancelled
