"""Approval against rejection against expiry: three processes decide on one action at once.

Each trial has one action whose time to be decided on is just over. Three processes meet at a
barrier; one approves it and one rejects it through the services, one does what the worker's sweep
does. Each writes down what it was told. Who won comes a little later the next time and who lost a
little earlier, so that all three stay as close as the machine allows.
"""

import json
import multiprocessing as mp
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from tests.races.parts import run_together
from tests.unit.bodies import PAYLOADS, body
from webapp.config import Settings
from webapp.domain.errors import NotAwaiting
from webapp.domain.states import State
from webapp.services import approvals, decide, draft, settings
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store import events
from webapp.store.agents import Agent
from webapp.store.engine import Database
from webapp.store.schema import action

BOT = Agent("racer", frozenset({"draft"}))
SIDES = ("approved", "rejected", "expired")
"""The verbs of the events, one a side."""
Plant = Callable[[], None]
"""Breaks something on purpose in every process."""
_PAUSE, _AT_LEAST, _AT_MOST = 0.004, 0.0002, 0.2
_LATER, _EARLIER = 1.5, 0.82
"""Of three, each wins one in three: together these leave the pause as it is."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each side won, each answer held against its row and its events."""

    trials: int
    wins: Counter[str]
    faults: list[str]


def race(url: str, trials: int, folder: Path, *, plant: Plant | None = None) -> Tally:
    """Run `trials` and judge them."""
    desk = Desk(Database(url), Settings())
    settings.change(desk, "refund", {"mode": "approval"}, "test")
    parent = {"payload": PAYLOADS["refund"]}
    rows = [draft.draft(desk, BOT, body("refund", **parent), None).action.id for _ in range(trials)]
    over = update(action).values(approve_by=desk.now() + 3_600_000_000)
    desk.db.transact(lambda tx: tx.conn.execute(over))
    context = mp.get_context("spawn")
    barrier = context.Barrier(len(SIDES))
    parts = [
        context.Process(target=_decide_all, args=(url, rows, barrier, side, folder / side, plant))
        for side in SIDES
    ]
    run_together(parts, 60 + trials * 0.2)
    try:
        return _judge(desk.db, rows, folder)
    finally:
        desk.db.close()


def _decide_all(
    url: str, rows: list[str], barrier: Any, side: str, answers: Path, plant: Plant | None
) -> None:
    if plant is not None:
        plant()
    desk, chance = Desk(Database(url), Settings()), random.Random(side)
    pause = _PAUSE
    caller = Caller(f"staff:{side}@example.com", side, None, 1)
    with answers.open("w") as out:
        for row in rows:
            if side == "expired":
                past = update(action).where(action.c.id == row).values(approve_by=desk.now() - 1)
                desk.db.transact(lambda tx, past=past: tx.conn.execute(past))  # type: ignore[misc]
            barrier.wait(60)
            # Not a wait for something to happen: it sets how close the sides come.
            time.sleep(pause * chance.uniform(0.5, 1))
            won = _decide(desk, side, row, caller)
            out.write(f"{json.dumps({'id': row, 'won': won})}\n")
            pause = min(_AT_MOST, max(_AT_LEAST, pause * (_LATER if won else _EARLIER)))
            barrier.wait(60)
    desk.db.close()


def _decide(desk: Desk, side: str, row: str, caller: Caller) -> bool:
    """Whether this side was told that it won."""
    if side == "expired":
        return row in approvals.expire_approvals(desk)
    try:
        if side == "approved":
            decide.approve(desk, row, caller, seen=1)
        else:
            decide.reject(desk, row, caller, reason="no", seen=1)
    except NotAwaiting:
        return False
    return True


def _judge(db: Database, rows: list[str], folder: Path) -> Tally:
    told = {
        side: {
            one["id"]: one["won"]
            for one in map(json.loads, (folder / side).read_text().split("\n")[:-1])
        }
        for side in SIDES
    }
    wins: Counter[str] = Counter()
    faults: list[str] = []
    with db.read() as tx:
        for row in rows:
            found = tx.conn.execute(select(action).where(action.c.id == row)).one()
            verbs = [event.verb for event in events.of_action(tx, row)][1:]
            winners = [side for side in SIDES if told[side][row]]
            wins.update(winners)
            wanted = State.SCHEDULED if winners == ["approved"] else State.REJECTED
            if len(winners) != 1 or verbs != winners or found.state != wanted or found.version != 2:
                faults.append(f"{row}: {found.state} with {verbs}, told to have won: {winners}")
    return Tally(len(rows), wins, faults)
