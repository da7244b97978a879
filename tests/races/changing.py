"""A policy that changes while agents draft, from processes of their own.

Each change sets a window of its own, so that a row says which policy decided it. A draft may be
decided by any policy that stood at some moment between its question and its answer, and by no
other: never by one that had been replaced before it began.
"""

import multiprocessing as mp
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.store.test_concurrency import together
from tests.unit.bodies import body
from webapp.config import Settings
from webapp.domain.times import SECOND
from webapp.services import settings
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.agents import Agent
from webapp.store.engine import Database

BOT = Agent("racer", frozenset({"draft"}))
THREADS, CHANGES, FIRST = 4, 20, 1_000
_MORE_AFTER = 0.05
"""Seconds of drafting after each change, for the machine to get to it."""
Plant = Callable[[], None]
"""Breaks something on purpose in the process that drafts."""


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when, by the machine's monotonic clock, which its processes share."""

    window: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Tally:
    """All drafts, those decided by a policy that did not stand then, and how many policies did."""

    drafts: int
    faults: list[str]
    policies: int


def race(url: str, policy: Mapping[str, str], *, plant: Plant | None = None) -> Tally:
    """Change the window of refunds CHANGES times while THREADS draft, and judge every row."""
    desk = Desk(Database(url), Settings())
    first = {"mode": "window", "window_seconds": str(FIRST), **policy}
    settings.change(desk, "refund", first, "test")
    context = mp.get_context("spawn")
    begun, over, answers = context.Event(), context.Event(), context.Queue()
    part = context.Process(target=_draft_all, args=(url, begun, over, answers, plant))
    part.start()
    try:
        assert begun.wait(60)
        changes = [_change(desk, FIRST + number) for number in range(1, CHANGES + 1)]
        over.set()
        drafts: list[Span] = answers.get(timeout=60)
        part.join(60)
        assert part.exitcode == 0
    finally:
        part.kill()
        desk.db.close()
    return _judge([Span(FIRST, 0.0, 0.0), *changes], drafts)


def _change(desk: Desk, window: int) -> Span:
    start = time.monotonic()
    settings.change(desk, "refund", {"window_seconds": str(window)}, "test")
    done = Span(window, start, time.monotonic())
    # Not a wait for something to happen: drafts go on meanwhile, and any number of them will do.
    time.sleep(_MORE_AFTER)
    return done


def _draft_all(url: str, begun: Any, over: Any, answers: Any, plant: Plant | None) -> None:
    if plant is not None:
        plant()
    desk = Desk(Database(url), Settings())
    desk.table()

    def work() -> list[Span]:
        made = []
        while not over.is_set():
            start = time.monotonic()
            action = draft(desk, BOT, body(), None).action
            made.append(Span(action.window // SECOND, start, time.monotonic()))
            begun.set()
        return made

    answers.put([one for some in together([work] * THREADS) for one in some])
    desk.db.close()


def _judge(changes: list[Span], drafts: list[Span]) -> Tally:
    ends = {change.window: after.end for change, after in pairwise(changes)}
    starts = {change.window: change.start for change in changes}
    faults = [
        f"a window of {one.window} s, which did not stand then"
        for one in drafts
        if one.end < starts[one.window] or one.start > ends.get(one.window, one.start)
    ]
    return Tally(len(drafts), faults, len({one.window for one in drafts}))
