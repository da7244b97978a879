"""10,000 due at once: claim, instant connector, fenced finish, two events each; beside batches.

From the due time to the last `finished_at`, both by the deciding clock.
"""

import time

from sqlalchemy import func, select, update

from tests.bench import bare, workers
from tests.bench.beside import beside
from tests.bench.databases import fresh, opened, settle
from tests.bench.plant import plant, refund
from tests.bench.tally import Line, show
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store.schema import action

NUMBER = 10_000
AT_LEAST = {16: None, 64: 12_000}
"""Finished a second, by slots."""
_BATCH = 100
_FAR, _SOON = 3_600 * SECOND, 6 * SECOND
_PATIENCE = 120.0


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    lines = []
    for slots, at_least in AT_LEAST.items():
        with fresh(backend) as url, opened(url) as desk:
            limit = _batches(url)
            rate = _finished(desk, slots)
        lines.append(
            Line(
                f"finished/s, {slots} slots",
                f"{rate:,.0f}",
                f"{limit:,.0f}",
                rate / limit,
                f">= {at_least:,}" if at_least else "",
                rate >= at_least if at_least else None,
            )
        )
    show(f"{NUMBER:,} due at once, {backend} (bare: batches of {_BATCH})", lines)


def _batches(url: str) -> float:
    jobs = bare.connect(url)
    due = time.time_ns() // 1000
    jobs.add([(number, due) for number in range(NUMBER)])
    began, done = time.perf_counter(), 0
    while taken := jobs.claim(_BATCH):
        jobs.finish([job for job, _ in taken])
        done += len(taken)
    rate = done / (time.perf_counter() - began)
    jobs.close()
    return rate


def _finished(desk: Desk, slots: int) -> float:
    desk.db.wakeup.watch()
    plant(desk, [desk.now() + _FAR] * NUMBER, refund, "refund")
    due = _bring_forward(desk)
    settle(desk)
    with beside(workers.run, desk.settings.database_url, slots, ()) as worker:
        last = _last_finished(desk)
        worker.finish()
    return NUMBER / ((last - due) / SECOND)


def _bring_forward(desk: Desk) -> int:
    """All are due at once, soon; answers when. Planting takes too long to know it beforehand."""
    due = desk.now() + _SOON
    soon = update(action).values(execute_at=due, cancel_by=due, claimable_at=due)
    desk.db.transact(lambda tx: tx.conn.execute(soon))
    return due


def _last_finished(desk: Desk) -> int:
    ended = select(func.count(), func.max(action.c.finished_at)).where(
        action.c.state == State.EXECUTED
    )
    give_up = time.monotonic() + _PATIENCE
    while time.monotonic() < give_up:
        with desk.db.read() as tx:
            count, last = tx.conn.execute(ended).one()
        if count == NUMBER:
            return int(last)
        time.sleep(0.1)
    raise RuntimeError(f"only {count} of {NUMBER} were finished")
