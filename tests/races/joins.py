"""Merge against claim, a trial at a time, from processes of their own.

In each trial one process claims a row that is due and sends what the claim gave it (a line in a
file that both only append to); the other drafts a text that may join that row. Whoever loses: the
text becomes an action of its own, which is sent at the end. As in `arena`, the two are steered so
that they win about equally often.
"""

import json
import multiprocessing as mp
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import exists, null, select, update

from tests.races.arena import _AT_LEAST, _AT_MOST, _FARTHER, _HEAD_START, _NEARER, LEASE, _spin
from tests.races.parts import run_together
from tests.unit.bodies import PAYLOADS, body
from webapp.config import Settings
from webapp.domain.states import State
from webapp.services import settings
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.services.execute import effect_request
from webapp.store import claims, merging
from webapp.store.agents import Agent
from webapp.store.arrow import Arrow, param
from webapp.store.engine import Database
from webapp.store.schema import action

BOT = Agent("racer", frozenset({"draft"}))
WORKER = "race-worker"
Plant = Callable[[Database], None]
"""Breaks something on purpose in the process that drafts."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the trials ended, after every text and payload was held against what was sent."""

    trials: int
    joined: int
    faults: list[str]

    @property
    def least(self) -> float:
        """The share of the side that won less often."""
        return min(self.joined, self.trials - self.joined) / self.trials


def race(url: str, trials: int, folder: Path, window: int, *, plant: Plant | None = None) -> Tally:
    """Run `trials` with windows of `window` seconds and judge them."""
    desk = Desk(Database(url), Settings())
    policy = {"mode": "window", "window_seconds": str(window), "margin_seconds": "0"}
    settings.change(desk, "reply", policy, "test")
    rows = [_say(desk, number, "first") for number in range(trials)]
    _move(desk.db, 3_600_000_000)
    context = mp.get_context("spawn")
    barrier, sent = context.Barrier(2), folder / "sent"
    parts = [
        context.Process(target=_claim_all, args=(url, rows, barrier, sent)),
        context.Process(target=_join_all, args=(url, trials, barrier, plant)),
    ]
    run_together(parts, 60 + trials * 0.1)
    try:
        _move(desk.db, -1)
        with _appending(sent) as out:
            _send(desk.db, out, 2 * trials)
        return _judge(desk.db, trials, sent)
    finally:
        desk.db.close()


def _say(desk: Desk, trial: int, which: str) -> str:
    payload = PAYLOADS["reply"] | {"body": f"{which}-{trial}"}
    asked = body("reply", payload=payload, customer={"ref": f"c-{trial}"}, merge_key="m")
    return draft(desk, BOT, asked, f"{which}-{trial}").action.id


def _move(db: Database, by: int, *ids: str) -> None:
    """Fall due `by` microseconds from now; not by `run_now`, after which nothing joins."""
    at = db.now() + by
    move = update(action).where(action.c.state == State.SCHEDULED)
    if ids:
        move = move.where(action.c.id.in_(ids))
    times = dict.fromkeys(("execute_at", "cancel_by", "claimable_at"), at)
    db.transact(lambda tx: tx.conn.execute(move.values(times)))


@contextmanager
def _appending(path: Path) -> Iterator[int]:
    """A file that is only appended to, by its descriptor."""
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield out
    finally:
        os.close(out)


def _claim_all(url: str, rows: list[str], barrier: Any, sent: Path) -> None:
    db = Database(url)
    pause = _HEAD_START
    with _appending(sent) as out:
        for row in rows:
            _move(db, -1, row)
            barrier.wait(60)
            _spin(pause)
            alone = _send(db, out, 1) == [row]
            barrier.wait(60)
            _send(db, out, 100)
            pause = min(_AT_MOST, max(_AT_LEAST, pause * (_FARTHER if alone else _NEARER)))
    db.close()


def _send(db: Database, out: int, slots: int) -> list[str]:
    """Claim, send exactly what was claimed, finish. The ids of what nothing had joined."""
    taken = db.statement(lambda tx: claims.claim(tx, WORKER, slots, LEASE))
    for claim in taken:
        request = effect_request(claim, 0)
        line = {"id": claim.id, "body": request.payload["body"]}
        os.write(out, f"{json.dumps(line)}\n".encode())
        done = claims.Finish(claim.id, claim.attempt, State.EXECUTED, effect="{}")
        db.transact(lambda tx, done=done: claims.finish(tx, WORKER, [done]))  # type: ignore[misc]
    return [claim.id for claim in taken if "\n\n" not in json.loads(claim.payload)["body"]]


def _join_all(url: str, trials: int, barrier: Any, plant: Plant | None) -> None:
    desk = Desk(Database(url), Settings())
    if plant is not None:
        plant(desk.db)
    chance = random.Random(7)
    for trial in range(trials):
        barrier.wait(60)
        _spin(_HEAD_START + chance.uniform(0, _HEAD_START))
        _say(desk, trial, "second")
        barrier.wait(60)
    desk.db.close()


def _judge(db: Database, trials: int, sent: Path) -> Tally:
    lines = [json.loads(line) for line in sent.read_text().splitlines()]
    effects = Counter(line["id"] for line in lines)
    texts = Counter(text for line in lines for text in line["body"].split("\n\n"))
    bodies = {line["id"]: line["body"] for line in lines}
    faults: list[str] = []
    with db.read() as tx:
        rows = tx.conn.execute(select(action)).all()
    for found in rows:
        stands = json.loads(found.payload)["body"]
        if (found.state, effects[found.id]) != (State.EXECUTED, 1):
            faults.append(f"{found.id}: {found.state} with {effects[found.id]} effects")
        elif bodies[found.id] != stands:
            faults.append(f"{found.id}: sent {bodies[found.id]!r}, shows {stands!r}")
        if {text.rpartition("-")[2] for text in stands.split("\n\n")} != {found.customer_ref[2:]}:
            faults.append(f"{found.id}: {stands!r} for {found.customer_ref}")
    drafted = [f"{which}-{trial}" for trial in range(trials) for which in ("first", "second")]
    faults += [f"{text}: sent {texts[text]} times" for text in drafted if texts[text] != 1]
    return Tally(trials, sum(found.merges for found in rows), faults)


def drop_the_guards(db: Database) -> None:
    """The planted bug: read, then write by id alone; and no trigger to catch it."""
    where = " ON action" if db.dialect == "postgresql" else ""
    with db.connection() as conn:
        conn.exec_driver_sql(f"DROP TRIGGER action_payload{where}")
    merging._TARGET = (
        select(action)
        .where(action.c.customer_ref == param("customer_ref"), action.c.merges == 0)
        .order_by(action.c.id.desc())
        .limit(1)
    )
    values = dict.fromkeys(("payload", "payload_hash", "decision"))
    merging._MERGE = Arrow(
        "merged",
        update(action)
        .where(action.c.id == param("id"), exists().where(action.c.id.is_not(None)))
        .values(
            previous_state=action.c.state,
            version=action.c.version + 1,
            merges=action.c.merges + 1,
            first_viewed_at=null(),
            **{name: param(name) for name in values},
        ),
    )
