"""Drafts of one agent from several processes, each with several threads, against its limits.

All begin at one moment. What began scheduled is told by the `drafted` events, which nobody can
change: a row may have been held since.
"""

import multiprocessing as mp
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from tests.races.parts import run_together
from tests.store.test_concurrency import together
from tests.unit.bodies import body
from webapp.config import Settings
from webapp.domain.states import State
from webapp.services import settings
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.agents import Agent
from webapp.store.engine import Database
from webapp.store.schema import action, event

BOT = Agent("racer", frozenset({"draft"}))
PROCESSES, THREADS = 2, 10
Plant = Callable[[], None]
"""Breaks something on purpose in each process that drafts."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the drafts of one agent began, by state, and where they stand."""

    began: Counter[str]
    stand: Counter[str]
    scheduled_value: int
    """Minor units of those that began scheduled."""


def race(url: str, *, plant: Plant | None = None, **policy: str) -> Tally:
    """PROCESSES times THREADS refunds of 12.50 INR for one order at once, under `policy`."""
    desk = Desk(Database(url), Settings())
    try:
        settings.change(desk, "refund", {"mode": "window"} | policy, "test")
        context = mp.get_context("spawn")
        barrier = context.Barrier(PROCESSES)
        parts = [
            context.Process(target=_draft_all, args=(url, place, barrier, plant))
            for place in range(PROCESSES)
        ]
        run_together(parts, 120)
        return _count(desk.db)
    finally:
        desk.db.close()


def _draft_all(url: str, place: int, barrier: Any, plant: Plant | None) -> None:
    if plant is not None:
        plant()
    desk = Desk(Database(url), Settings())
    desk.table()
    barrier.wait(60)
    keys = [f"{place}-{number}" for number in range(THREADS)]
    together([lambda key=key: draft(desk, BOT, body(order="o-1"), key) for key in keys])  # type: ignore[misc]
    desk.db.close()


def _count(db: Database) -> Tally:
    with db.read() as tx:
        began = tx.conn.execute(
            select(event.c.to_state, action.c.amount_value)
            .join(action, action.c.id == event.c.action)
            .where(event.c.verb == "drafted")
        ).all()
        stand = tx.conn.scalars(select(action.c.state)).all()
    return Tally(
        Counter(row.to_state for row in began),
        Counter(stand),
        sum(row.amount_value for row in began if row.to_state == State.SCHEDULED),
    )
