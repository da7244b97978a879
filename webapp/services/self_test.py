"""Promise 1 tried on this installation's database: a cancel against the claim, again and again.

In a scratch database beside the desk's (`store.scratch`), by the functions that the desk itself
uses. Two threads meet before each trial: one cancels, the other claims, "sends" and finishes.
The winner starts later the next time, so that both win often.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.errors import Unavailable
from webapp.domain.ids import new_id
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.cancel import Cancelled, CancelTooLate, cancel
from webapp.services.desk import Desk
from webapp.store import actions, claims, drafting, events, self_tests
from webapp.store.drafting import NewAction
from webapp.store.engine import Tx
from webapp.store.scratch import scratch
from webapp.store.self_tests import Ended

TRIALS = 500
SECONDS = 5.0
"""After which no further round begins; the result says how many trials there were."""
_ROUND = 25
_WORKER = "worker:self-test"
_LEASE = 600 * SECOND
_MEET = 10.0
_STEP = 0.0005
_PAYLOAD = canonical(
    {"payment": "self-test", "amount": {"value": 1, "currency": "INR"}, "reason": ""}
)


@dataclass(frozen=True, slots=True)
class Step:
    """How far it is; the last one has what came out."""

    done: int
    of: int
    ended: Ended | None = None


class _Pace:
    """Which side starts later, and by how much (seconds): the claim, or below 0 the cancel."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._claim_after = 0.0
        self._chance = random.Random()  # noqa: S311 (chance, not secrecy)

    def claim(self) -> None:
        """Called by the claiming side."""
        self._spin(self._claim_after)

    def cancel(self) -> None:
        """Called by the cancelling side."""
        self._spin(-self._claim_after)

    def learn(self, *, cancelled: bool) -> None:
        """Who won; called by one side, while the other waits."""
        step = self._chance.uniform(0.0, 2 * _STEP)
        self._claim_after += -step if cancelled else step

    def _spin(self, seconds: float) -> None:
        # Not a wait for something to happen: it sets how close the two sides come.
        end = self._now() + seconds * SECOND
        while self._now() < end:
            time.sleep(0)


@dataclass(slots=True)
class _Trial:
    """What each side was told."""

    id: str
    cancelled: bool = False
    too_late: bool = False
    sent: int = 0


def run(
    desk: Desk, by: str, *, trials: int | None = None, seconds: float | None = None
) -> Iterator[Step]:
    """Run TRIALS, or as many as SECONDS let, and keep the result, dated. Raises Unavailable."""
    trials = TRIALS if trials is None else trials
    seconds = SECONDS if seconds is None else seconds
    started = desk.now()
    done: list[tuple[State, str | None]] = []
    yield Step(0, trials)
    with scratch(desk.db) as db:
        there, pace = Desk(db, desk.settings), _Pace(desk.now)
        while len(done) < trials and desk.now() - started < seconds * SECOND:
            done += _round(there, min(_ROUND, trials - len(done)), pace)
            yield Step(len(done), trials)
    took = desk.now() - started
    states = [state for state, _ in done]
    faults = [fault for _, fault in done if fault]
    ended = Ended(
        tested_at=started,
        tested_by=by,
        trials=len(done),
        cancelled=states.count(State.CANCELLED),
        executed=states.count(State.EXECUTED),
        faults=len(faults),
        fault=faults[0] if faults else None,
        took=took,
    )
    desk.db.transact(lambda tx: self_tests.keep(tx, ended))
    yield Step(len(done), trials, ended)


def last(desk: Desk) -> Ended | None:
    """The newest result."""
    with desk.db.read() as tx:
        return self_tests.last(tx)


def _round(desk: Desk, number: int, pace: _Pace) -> list[tuple[State, str | None]]:
    """Trials side by side, and what is wrong with each."""
    trials = [_Trial(new_id(desk.now())) for _ in range(number)]
    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2, "self-test") as pool:
        sides = (
            pool.submit(_against, barrier, lambda: _claim_all(desk, trials, barrier, pace)),
            pool.submit(_against, barrier, lambda: _cancel_all(desk, trials, barrier, pace)),
        )
        problems = [problem for side in sides if (problem := side.exception())]
    # Who waited in vain is not what went wrong, unless nobody came in time.
    for problem in problems:
        if not isinstance(problem, threading.BrokenBarrierError):
            raise problem
    if problems:
        raise Unavailable(f"The two sides did not meet within {_MEET:g} s.")
    return [_judge(desk, trial) for trial in trials]


def _against(barrier: threading.Barrier, side: Callable[[], None]) -> None:
    try:
        side()
    except BaseException:
        barrier.abort()  # or the other side would wait for nobody
        raise


def _claim_all(desk: Desk, trials: list[_Trial], barrier: threading.Barrier, pace: _Pace) -> None:
    for trial in trials:
        new = _new(trial.id, desk)
        desk.db.transact(lambda tx, new=new: drafting.draft(tx, new))  # type: ignore[misc]
        barrier.wait(_MEET)
        pace.claim()
        taken = desk.db.statement(lambda tx: claims.claim(tx, _WORKER, 1, _LEASE))
        for claim in taken:
            trial.sent += claim.id == trial.id
            _finish(desk, claim)
        barrier.wait(_MEET)


def _cancel_all(desk: Desk, trials: list[_Trial], barrier: threading.Barrier, pace: _Pace) -> None:
    who = Caller("staff:self-test", "the self-test")
    for trial in trials:
        barrier.wait(_MEET)
        pace.cancel()
        outcome = cancel(desk, trial.id, who)
        trial.cancelled = isinstance(outcome, Cancelled)
        trial.too_late = isinstance(outcome, CancelTooLate)
        pace.learn(cancelled=trial.cancelled)
        barrier.wait(_MEET)


def _finish(desk: Desk, claim: claims.Claim) -> None:
    done = claims.Finish(claim.id, claim.attempt, State.EXECUTED, effect="{}")

    def work(tx: Tx) -> list[claims.Finish]:
        return claims.finish(tx, _WORKER, [done])

    desk.db.transact(work)


def _judge(desk: Desk, trial: _Trial) -> tuple[State, str | None]:
    """How it ended, and what does not agree: the row, the answer, the effect, the events."""
    with desk.db.read() as tx:
        row = actions.get(tx, trial.id)
        verbs = [event.verb for event in events.of_action(tx, trial.id)]
    if row is None:
        return State.UNKNOWN, "the row is gone"
    won = {
        State.CANCELLED: (True, False, 0, ["drafted", "cancelled"]),
        State.EXECUTED: (False, True, 1, ["drafted", "claimed", "executed"]),
    }.get(row.state)
    if won is None:
        return row.state, f"neither side won: the row is {row.state}"
    # A cancel that lost stands in the record too, before or after the end.
    seen = [verb for verb in verbs if verb != "cancel_too_late"]
    if (trial.cancelled, trial.too_late, trial.sent, seen) == won:
        return row.state, None
    told = "won" if trial.cancelled else "lost"
    return row.state, (
        f"the row is {row.state}, the cancel was told that it {told}, "
        f"{trial.sent} sent, events {', '.join(seen)}"
    )


def _new(action_id: str, desk: Desk) -> NewAction:
    now = desk.now() - SECOND
    values: dict[str, Any] = {
        "id": action_id,
        "kind": "refund",
        "state": State.SCHEDULED.value,
        "summary": "A trial",
        "reason": "",
        "payload": _PAYLOAD,
        "payload_hash": fingerprint(_PAYLOAD),
        "amount_value": 1,
        "amount_currency": "INR",
        "customer": '{"ref":"self-test"}',
        "customer_ref": "self-test",
        "agent": "self-test",
        "drafted_by": "agent:self-test",
        "drafted_at": now,
        "window": 0,
        "margin": 0,
        "cancel_by": now,
        "execute_at": now,
        "claimable_at": now,
        "decision": "{}",
        "overdue_after": _LEASE,
        "state_by": "policy",
    }
    return NewAction(values, revision=desk.last_table().revision)
