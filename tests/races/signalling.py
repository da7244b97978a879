"""Signal against claim, a trial at a time, from processes of their own.

In each trial several rows of one customer fall due at once. One process claims half of them, makes
their effects (a line each in a file that both only append to) and finishes them, then the rest;
the other signals that the customer replied, through the service. As in `arena`, the two are
steered so that they win about equally often.
"""

import json
import multiprocessing as mp
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from tests.races.arena import _AT_LEAST, _AT_MOST, _FARTHER, _HEAD_START, _NEARER, LEASE, _spin
from tests.races.parts import run_together
from tests.unit.bodies import body
from webapp.config import Settings
from webapp.domain.states import State
from webapp.services import settings
from webapp.services import signal as signals
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store import claims
from webapp.store.agents import Agent
from webapp.store.engine import Database
from webapp.store.schema import action, event

CRM = Caller.agent(Agent("crm", frozenset({"signal"})))
BOT = Agent("racer", frozenset({"draft"}))
WORKER = "race-worker"
EACH = 4
"""Rows of one trial."""
Plant = Callable[[], None]
"""Breaks something on purpose in the process that signals."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the rows ended, after each was held against the answer, its effects and its events."""

    rows: int
    held: int
    split: int
    """Trials of which each side won a part."""
    faults: list[str]

    @property
    def least(self) -> float:
        """The share of the side that won less often."""
        return min(self.held, self.rows - self.held) / self.rows


def race(url: str, trials: int, folder: Path, *, plant: Plant | None = None) -> Tally:
    """Run `trials` and judge them."""
    desk = Desk(Database(url), Settings())
    settings.change(desk, "refund", {"mode": "window", "window_seconds": "3600"}, "test")
    for trial in range(trials):
        for _ in range(EACH):
            draft(desk, BOT, body(customer={"ref": f"c-{trial}"}), None)
    context = mp.get_context("spawn")
    barrier, effects, answers = context.Barrier(2), folder / "effects", folder / "answers"
    parts = [
        context.Process(target=_claim_all, args=(url, trials, barrier, effects)),
        context.Process(target=_signal_all, args=(url, trials, barrier, answers, plant)),
    ]
    run_together(parts, 60 + trials * 0.2)
    try:
        return _judge(desk.db, effects, answers)
    finally:
        desk.db.close()


def _claim_all(url: str, trials: int, barrier: Any, effects: Path) -> None:
    db = Database(url)
    out = os.open(effects, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    pause = _HEAD_START
    for trial in range(trials):
        now = dict.fromkeys(("execute_at", "cancel_by", "claimable_at"), db.now() - 1)
        due = update(action).where(action.c.customer_ref == f"c-{trial}").values(**now)
        db.transact(lambda tx, due=due: tx.conn.execute(due))  # type: ignore[misc]
        barrier.wait(60)
        _spin(pause)
        taken = _run(db, out, EACH // 2)
        taken += _run(db, out, EACH)
        barrier.wait(60)
        pause = min(_AT_MOST, max(_AT_LEAST, pause * (_FARTHER if taken else _NEARER)))
    os.close(out)
    db.close()


def _run(db: Database, out: int, slots: int) -> int:
    taken = db.statement(lambda tx: claims.claim(tx, WORKER, slots, LEASE))
    for claim in taken:
        os.write(out, f"{claim.id}\n".encode())
        done = claims.Finish(claim.id, claim.attempt, State.EXECUTED, effect="{}")
        db.transact(lambda tx, done=done: claims.finish(tx, WORKER, [done]))  # type: ignore[misc]
    return len(taken)


def _signal_all(url: str, trials: int, barrier: Any, answers: Path, plant: Plant | None) -> None:
    if plant is not None:
        plant()
    desk = Desk(Database(url), Settings())
    chance = random.Random(7)
    with answers.open("w") as out:
        for trial in range(trials):
            barrier.wait(60)
            _spin(_HEAD_START + chance.uniform(0, _HEAD_START))
            done = signals.signal(desk, CRM, "customer_replied", customer=f"c-{trial}")
            again = signals.signal(desk, CRM, "customer_replied", customer=f"c-{trial}")
            told = {"held": done.held, "too_late": done.too_late, "again": again.held}
            out.write(f"{json.dumps(told)}\n")
            barrier.wait(60)
    desk.db.close()


def _judge(db: Database, effects: Path, answers: Path) -> Tally:
    made = Counter(effects.read_text().split())
    told: dict[str, str] = {}
    split, faults = 0, []
    for line in map(json.loads, answers.read_text().splitlines()):
        told |= dict.fromkeys(line["held"], "held") | dict.fromkeys(line["too_late"], "too_late")
        split += bool(line["held"]) and bool(line["too_late"])
        if line["again"] or len({*line["held"], *line["too_late"]}) != EACH:
            faults.append(f"not every row once: {line}")
    with db.read() as tx:
        rows = tx.conn.execute(select(action.c.id, action.c.state)).all()
        logged = tx.conn.execute(select(event.c.action, event.c.verb)).all()
    verbs: dict[str, set[str]] = {}
    for one in logged:
        verbs.setdefault(one.action, set()).add(one.verb)
    for row in rows:
        seen = (row.state, told.get(row.id), made[row.id], "claimed" in verbs[row.id])
        if seen not in {("held", "held", 0, False), ("executed", "too_late", 1, True)}:
            faults.append(f"{row.id}: {seen}")
    held = sum(row.state == "held" for row in rows)
    return Tally(len(rows), held, split, faults)
