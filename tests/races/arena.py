"""Cancel against claim, a trial at a time, from processes of their own.

Two processes meet at a barrier before each trial: one claims the row that is due, makes its effect
(a line in a file that both only append to) and finishes it; the other cancels it through the
service. The claimer waits a little longer after each win and shorter after each loss, so that the
two stay as close as the machine allows.
"""

import json
import multiprocessing as mp
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.races.parts import run_together
from webapp.config import Settings
from webapp.domain import ids
from webapp.domain.states import State
from webapp.services.caller import Caller
from webapp.services.cancel import AlreadyCancelled, Cancelled, CancelTooLate, cancel
from webapp.services.desk import Desk
from webapp.store import actions, claims, events, transitions
from webapp.store.drafting import Drafted, NewAction, draft
from webapp.store.engine import Database, Tx

ANA = Caller("staff:ana@example.com", "Ana", None, 1)
LEASE = 600_000_000
_HEAD_START = 0.0005
_NEARER, _FARTHER, _AT_LEAST, _AT_MOST = 0.9, 1.15, 0.00005, 0.05

Plant = Callable[[], None]
"""Breaks something on purpose in the process that it is called in."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the trials ended, after every answer was held against its row and its effects."""

    trials: int
    cancelled: int
    executed: int
    faults: list[str]

    @property
    def least(self) -> float:
        """The share of the side that won less often."""
        return min(self.cancelled, self.executed) / self.trials


def rows_for_later(db: Database, number: int) -> list[str]:
    """`number` refunds that fall due in an hour: each trial runs its own now."""
    start = db.now() + 3_600_000_000

    def work(tx: Tx) -> list[str]:
        made = [_row(start + place) for place in range(number)]
        for new in made:
            assert draft(tx, new) is Drafted.NEW
        return [new.values["id"] for new in made]

    return db.transact(work)


def race(
    url: str, trials: int, folder: Path, *, plant: Plant | None = None, lasts: float = 0.0
) -> Tally:
    """Run `trials` and judge them. `plant` breaks the canceller's process on purpose.

    `lasts`: seconds that an effect takes, which is how long such a bug has its chance.
    """
    db = Database(url)
    rows = rows_for_later(db, trials)
    context = mp.get_context("spawn")
    barrier = context.Barrier(2)
    effects, answers = folder / "effects", folder / "answers"
    parts = [
        context.Process(target=_claim_all, args=(url, rows, barrier, effects, lasts)),
        context.Process(target=_cancel_all, args=(url, rows, barrier, answers, plant)),
    ]
    run_together(parts, 60 + trials * 0.05)
    try:
        return _judge(db, rows, effects, answers)
    finally:
        db.close()


def _row(execute_at: int) -> NewAction:
    payload = '{"amount":{"currency":"INR","value":100},"payment":"p","reason":""}'
    values: dict[str, Any] = {
        "id": ids.new_id(execute_at),
        "kind": "refund",
        "state": State.SCHEDULED.value,
        "summary": "A trial",
        "reason": "",
        "payload": payload,
        "payload_hash": "0" * 64,
        "amount_value": 100,
        "amount_currency": "INR",
        "customer": '{"ref":"c"}',
        "customer_ref": "c",
        "agent": "arena",
        "drafted_by": "agent:arena",
        "drafted_at": execute_at,
        "window": 0,
        "margin": 0,
        "cancel_by": execute_at,
        "execute_at": execute_at,
        "claimable_at": execute_at,
        "decision": "{}",
        "overdue_after": 3_600_000_000,
        "state_by": "policy",
    }
    return NewAction(values, revision=1)


def _claim_all(url: str, rows: list[str], barrier: Any, effects: Path, lasts: float) -> None:
    db = Database(url)
    out = os.open(effects, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    pause = _HEAD_START
    for row in rows:
        db.transact(lambda tx, row=row: transitions.run_now(tx, row, ANA.asker()))  # type: ignore[misc]
        barrier.wait(60)
        _spin(pause)
        taken = db.statement(lambda tx: claims.claim(tx, "arena-worker", 1, LEASE))
        pause = min(_AT_MOST, max(_AT_LEAST, pause * (_FARTHER if taken else _NEARER)))
        for claim in taken:
            os.write(out, f"{ids.idempotency_key(claim.id)}\n".encode())
            time.sleep(lasts)
            done = claims.Finish(claim.id, claim.attempt, State.EXECUTED, effect="{}")
            db.transact(lambda tx, done=done: claims.finish(tx, "arena-worker", [done]))  # type: ignore[misc]
    os.close(out)
    db.close()


def _cancel_all(
    url: str, rows: list[str], barrier: Any, answers: Path, plant: Plant | None
) -> None:
    if plant is not None:
        plant()
    desk = Desk(Database(url), Settings())
    chance = random.Random(7)
    with answers.open("w") as out:
        for row in rows:
            barrier.wait(60)
            _spin(_HEAD_START + chance.uniform(0, _HEAD_START))
            outcome = cancel(desk, row, ANA)
            receipt = None if isinstance(outcome, AlreadyCancelled) else outcome.receipt
            out.write(
                json.dumps(
                    {
                        "id": row,
                        "result": type(outcome).__name__,
                        "state": outcome.action.state.value,
                        "won_by": receipt and receipt.won_by,
                        "margin": receipt and receipt.margin,
                    }
                )
                + "\n"
            )
    desk.db.close()


def _spin(seconds: float) -> None:
    # Not a wait for something to happen: it sets how close the two sides come.
    end = time.perf_counter() + seconds
    time.sleep(max(0.0, seconds - _HEAD_START))
    while time.perf_counter() < end:
        pass


def _judge(db: Database, rows: list[str], effects: Path, answers: Path) -> Tally:
    made = Counter(effects.read_text().split())
    given = {entry["id"]: entry for entry in map(json.loads, answers.read_text().splitlines())}
    wins: Counter[State] = Counter()
    faults: list[str] = []
    with db.read() as tx:
        for row in rows:
            found = actions.get(tx, row)
            assert found is not None
            wins[found.state] += 1
            verbs = Counter(event.verb for event in events.of_action(tx, row))
            effect_count = made[ids.idempotency_key(row)]
            fault = _fault(found.state, given[row], effect_count, verbs)
            if fault is not None:
                faults.append(f"{row}: {fault}")
    return Tally(len(rows), wins[State.CANCELLED], wins[State.EXECUTED], faults)


def _fault(state: State, answer: dict[str, Any], effects: int, verbs: Counter[str]) -> str | None:
    """What is wrong with one trial, if anything is."""
    expected = {
        State.CANCELLED: (
            Cancelled.__name__,
            "cancel",
            0,
            {"drafted": 1, "run_now": 1, "cancelled": 1},
        ),
        State.EXECUTED: (
            CancelTooLate.__name__,
            "claim",
            1,
            {"drafted": 1, "run_now": 1, "claimed": 1, "executed": 1, "cancel_too_late": 1},
        ),
    }
    if state not in expected:
        return f"neither side won: the row is {state}"
    result, won_by, count, events_wanted = expected[state]
    seen = (answer["result"], answer["won_by"], effects, dict(verbs))
    wanted = (result, won_by, count, events_wanted)
    if seen != wanted:
        return f"{state} with {seen}, wanted {wanted}"
    if won_by == "claim" and answer["margin"] < 0:
        return f"the claim won by {answer['margin']} µs"
    return None
