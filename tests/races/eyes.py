"""A view against the claim, a trial at a time, from processes of their own.

Each trial has one row that asks for eyes and falls due a moment later. One process reports that a
person has it on screen; the other does what a worker does: it claims what is due, and holds what
the claim refuses. The viewer comes earlier after a row that was held and later after one that ran,
in steps that grow while one side keeps winning, so that the two stay as close as the machine
allows.
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

from tests.races.arena import LEASE, rows_for_later
from tests.races.parts import run_together
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import claims, events, overdue, people, views
from webapp.store.engine import Database, Tx
from webapp.store.schema import action

Plant = Callable[[Database], None]
"""Breaks something on purpose in the process that claims."""
AHEAD = SECOND // 10
"""From the start of a trial until its row is due."""
_STEP, _STEP_AT_MOST, _SPREAD, _EARLIEST, _LATEST = 0.0005, 0.02, 0.001, -0.095, 0.02


@dataclass(frozen=True, slots=True)
class Tally:
    """How the trials ended, each row held against its views and events."""

    trials: int
    ran: int
    held: int
    faults: list[str]

    @property
    def least(self) -> float:
        """The share of the side that won less often."""
        return min(self.ran, self.held) / self.trials


def race(url: str, trials: int, folder: Path, *, plant: Plant | None = None) -> Tally:
    """Run `trials` and judge them."""
    db = Database(url)
    rows = rows_for_later(db, trials)
    eyes = update(action).where(action.c.id.in_(rows)).values(unseen=True)
    db.transact(lambda tx: tx.conn.execute(eyes))
    person = db.transact(_viewer)
    context = mp.get_context("spawn")
    barrier, looked = context.Barrier(2), folder / "looked"
    parts = [
        context.Process(target=_work_all, args=(url, rows, barrier, plant)),
        context.Process(target=_look_all, args=(url, rows, barrier, looked, person)),
    ]
    run_together(parts, 60 + trials * 0.2)
    try:
        return _judge(db, rows, looked)
    finally:
        db.close()


def _viewer(tx: Tx) -> int:
    people.add(tx, email="a@example.com", name="A", role="staff", password_hash="x")
    return people.everyone(tx)[0].id


def _work_all(url: str, rows: list[str], barrier: Any, plant: Plant | None) -> None:
    db = Database(url)
    if plant is not None:
        plant(db)
    for row in rows:
        at = db.now() + AHEAD
        times = dict.fromkeys(("execute_at", "cancel_by", "claimable_at"), at)
        move = update(action).where(action.c.id == row).values(times)
        db.transact(lambda tx, move=move: tx.conn.execute(move))  # type: ignore[misc]
        barrier.wait(60)
        _until(db, at / SECOND)
        while not _work(db):
            pass
        barrier.wait(60)
    db.close()


def _work(db: Database) -> bool:
    """What a worker does; whether anything moved."""
    if db.statement(lambda tx: claims.claim(tx, "eyes-worker", 1, LEASE)):
        return True
    return db.statement(lambda tx: overdue.hold(tx, 0)) > 0


def _look_all(url: str, rows: list[str], barrier: Any, looked: Path, person: int) -> None:
    db, chance, aim, step = Database(url), random.Random(7), 0.0, -_STEP
    with looked.open("w") as out:
        for row in rows:
            barrier.wait(60)
            moment = _due(db, row) / SECOND + aim + chance.uniform(-_SPREAD, _SPREAD)
            _until(db, moment)
            db.transact(lambda tx, row=row: views.record(tx, person, [(row, 1)]))  # type: ignore[misc]
            out.write(f"{json.dumps({'id': row, 'told': db.now()})}\n")
            barrier.wait(60)
            ran = _state(db, row) == State.EXECUTING
            if (step > 0) is ran:
                step = max(-_STEP_AT_MOST, min(_STEP_AT_MOST, step * 2))
            else:
                step = _STEP if ran else -_STEP
            aim = min(_LATEST, max(_EARLIEST, aim + step))
    db.close()


def _until(db: Database, moment: float) -> None:
    # Not a wait for something to happen: it sets how close the two sides come.
    time.sleep(max(0.0, moment - db.now() / SECOND))


def _due(db: Database, row: str) -> int:
    with db.read() as tx:
        return int(tx.conn.scalar(select(action.c.execute_at).where(action.c.id == row)) or 0)


def _state(db: Database, row: str) -> str:
    with db.read() as tx:
        return str(tx.conn.scalar(select(action.c.state).where(action.c.id == row)))


def _judge(db: Database, rows: list[str], looked: Path) -> Tally:
    told = {one["id"]: one["told"] for one in map(json.loads, looked.read_text().splitlines())}
    ended: Counter[str] = Counter()
    faults: list[str] = []
    with db.read() as tx:
        for row in rows:
            found = tx.conn.execute(select(action).where(action.c.id == row)).one()
            ended[found.state] += 1
            verbs = [event.verb for event in events.of_action(tx, row)]
            fault = _fault(found, verbs, told[row])
            if fault is not None:
                faults.append(f"{row}: {fault}")
    return Tally(len(rows), ended[State.EXECUTING], ended[State.HELD], faults)


def _fault(found: Any, verbs: list[str], told: int) -> str | None:
    """What is wrong with one trial, if anything is."""
    if found.state == State.EXECUTING:
        if verbs != ["drafted", "claimed"]:
            return f"it ran with {verbs}"
        if found.first_viewed_at is None or found.first_viewed_at >= found.execute_at:
            return f"it ran at {found.execute_at}, first seen at {found.first_viewed_at}"
        return None
    if found.state != State.HELD or verbs != ["drafted", "held"]:
        return f"{found.state} with {verbs}"
    due = found.claimable_at
    return f"held although its viewer was told {due - told} µs before" if told < due else None
