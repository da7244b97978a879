"""What all rules share: the desk on a fresh database, who asks, and the look after each step."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import TypeVar
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from tests.fixtures.desk import wait_until
from tests.machine import checker
from tests.machine.clock import START, StoppedDatabase
from tests.machine.emptied import empty
from tests.machine.model import Model
from tests.machine.provider import Provider, connectors
from tests.machine.seen import look
from webapp.config import Settings
from webapp.domain import ids
from webapp.domain.errors import DeskError
from webapp.domain.kinds.registry import DRAFTED
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import execute, settings
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.execute import Attempt, Means
from webapp.services.follow import follow
from webapp.store import agents, stock
from webapp.store.agents import Agent
from webapp.store.claims import Finish
from webapp.store.events import BEGINNING

T = TypeVar("T")

AGENTS = tuple(Agent(name, frozenset({"draft", "read", "cancel"})) for name in ("one", "two"))
STAFF = tuple(
    Caller(f"staff:{name}@example.com", name, None, number)
    for number, name in enumerate(("ana", "ben"), 1)
)
MUGS = 4
POLICY = {
    "window_seconds": "60",
    "margin_seconds": "1",
    "max_attempts": "3",
    "max_overdue_seconds": "900",
    "approved_window_seconds": "10",
    "approval_ttl_seconds": "600",
    "reservation_seconds": "600",
}

nth = st.integers(0, 63)
"""Which one of those that fit, newest first; from 56 on, one that may not fit."""
staff = st.sampled_from(STAFF)
worker = st.integers(0, 1)
seldom = st.sampled_from((False, False, False, True))
"""Of `loses`: whether the commit's answer is lost, and the work runs again."""
shown = st.sampled_from((None, None, None, 0, 1))
"""By how much the version on the asker's screen is behind; None: whatever it is."""


@dataclass
class Held:
    """An attempt in a worker's hands, and how it ended once it has."""

    attempt: Attempt
    result: Finish | None = None


class Base(RuleBasedStateMachine):
    """One desk. `tally` counts what happened, over all histories."""

    def __init__(self, db: StoppedDatabase, tally: Counter[str]) -> None:
        super().__init__()
        self.db = db
        self.tally = tally
        self._patches = ExitStack()
        # What is drawn must come again: hypothesis replays each history.
        self._patches.enter_context(patch.object(ids, "_sequence", count()))
        self._patches.enter_context(patch.object(execute, "_jitter", random.Random(1)))
        empty(db)
        db.set(START)
        self.desks = [self._desk(), self._desk()]
        """Two processes: what one remembers of the policy is stale when the other changes it."""
        self.provider = Provider()
        self.means = Means(self.desks[0], connectors(self.provider), lambda: db.at / SECOND)
        self.model = Model(modes={"label": "approval"}, stock=MUGS)
        self.hands: list[list[Held]] = [[], []]
        self.names = ["worker:0", "worker:1"]
        self.number = count()
        self._set_up()
        self.seen = look(db, 0)
        self._fed: list[int] = []
        self._cursor, self._last = BEGINNING, 0
        self._every: list[int] = []

    @invariant()
    def promises(self) -> None:
        """After every step."""
        seen = look(self.db, self._last)
        faults = checker.check(self.seen, seen, self.model, self.provider)
        assert faults == []
        self.seen = seen
        for event in seen.events:
            self._last = event.id
            self._every.append(event.id)
            self.tally[event.verb] += 1
            self.tally[f"{event.from_state} -> {event.to_state}"] += 1
        self._feed()
        assert self._fed == self._every[: len(self._fed)], "the feed skips or repeats an event"

    def teardown(self) -> None:
        """The feed brings the last event too, at the latest when nobody else writes."""
        self._patches.close()
        every = self._every
        wait_until(lambda: self._feed() >= len(every), seconds=10)
        assert self._fed[: len(every)] == every

    def pick(self, number: int, *states: State, kinds: frozenset[str] | None = None) -> str:
        """One of the actions in `states`, as `nth` says; there must be some action."""
        every = [one for one in self.model.rows.values() if kinds is None or one.kind in kinds]
        fit = [one for one in every if one.state in states]
        pool = fit if fit and number < 56 else every
        return pool[-1 - number % len(pool)].id

    def any(self, *states: State) -> bool:
        """Whether some action is in one of `states`."""
        return any(one.state in states for one in self.model.rows.values())

    def ask(self, call: Callable[[], T], *, loses: bool = False) -> T | DeskError:
        """The answer, or the refusal."""
        self.db.loses = loses
        try:
            return call()
        except DeskError as refusal:
            return refusal
        finally:
            self.db.loses = False

    def version(self, action_id: str, behind: int | None) -> int | None:
        """What the asker saw."""
        return None if behind is None else self.seen.rows[action_id].version - behind

    def _desk(self) -> Desk:
        made = Settings(secret_key="k" * 32, lease_seconds=60, connector_deadline_seconds=20)
        return Desk(self.db, made)

    def _set_up(self) -> None:
        for agent in AGENTS:
            self.db.transact(lambda tx, agent=agent: agents.add(tx, agent.name, agent.scopes))  # type: ignore[misc]
        for kind in DRAFTED:
            mode = {"mode": self.model.mode(kind)}
            settings.change(self.desks[0], kind, POLICY | mode, "staff:admin@example.com")
        self.db.transact(lambda tx: stock.put(tx, [stock.Item("mug", MUGS)]))

    def _feed(self) -> int:
        page = follow(self.desks[1], STAFF[0], self._cursor, 7)
        while page.events:
            self._fed += [event.id for event in page.events]
            self._cursor = page.cursor
            page = follow(self.desks[1], STAFF[0], self._cursor, 7)
        return len(self._fed)
