"""The worker's arrows: claim, finish, keep a lease, take over. Batches; the rows say who won.

Every finish is fenced by state and attempt: a worker that was believed dead changes nothing.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from webapp.domain.states import State
from webapp.store.arrow import record_many
from webapp.store.batches import (
    CLAIM,
    CLAIMED,
    EXTEND_LEASES,
    FINISH_POSTGRESQL,
    FINISH_SQLITE,
    FINISH_VERBS,
    MINE,
    NEXT_DUE,
    TAKE_OVER,
    Take,
)
from webapp.store.consequences import ended, executed
from webapp.store.engine import AnyRow, Tx
from webapp.store.hot import Hot

_NEXT_DUE = Hot(NEXT_DUE)
_FINISH_SQLITE = Hot(FINISH_SQLITE)
_FINISH_POSTGRESQL = Hot(FINISH_POSTGRESQL)
_TAKES = {
    (take, dialect): Hot(statement)
    for take in (CLAIM, TAKE_OVER)
    for dialect, statement in (("sqlite", take.sqlite), ("postgresql", take.postgresql))
}


class Claim(NamedTuple):
    """One claimed action: what a worker needs to make its effect. `payload` is JSON as stored."""

    id: str
    kind: str
    payload: str
    payload_hash: str
    attempt: int
    execute_at: int
    claimed_at: int
    cancel_recorded: bool
    taken_over: bool
    """An attempt before this one may have had the effect."""


class Finish(NamedTuple):
    """How one attempt ended. `state` is executed, failed, unknown, scheduled or executing.

    `effect` and `error` are JSON for the row, `data` for the event. With `retry_at` (UTC
    microseconds) come `scheduled`, which only an attempt that certainly had no effect may bring,
    and `executing`: nobody knows yet, and the sweep takes it over at that time. With `executed` it
    is from when on the provider is asked whether it is settled.
    """

    id: str
    attempt: int
    state: State
    effect: str | None = None
    error: str | None = None
    retry_at: int | None = None
    data: str = "{}"


def next_due(tx: Tx) -> int | None:
    """The earliest `execute_at` among the rows that could be claimed, due or not."""
    row = _NEXT_DUE.first(tx, tx.params({}))
    return None if row is None else int(row.execute_at)


def claim(tx: Tx, worker: str, slots: int, lease: int) -> list[Claim]:
    """scheduled -> executing for at most `slots` due rows, soonest first, leased to `worker`."""
    return _take(tx, CLAIM, worker, slots, lease)


def take_over(tx: Tx, worker: str, slots: int, lease: int) -> list[Claim]:
    """executing -> executing, attempt + 1, for rows whose lease is over: the sweep.

    The old worker is fenced out by the attempt, whatever the new one finds out.
    """
    return _take(tx, TAKE_OVER, worker, slots, lease)


def extend_leases(tx: Tx, worker: str, ids: Sequence[str], lease: int) -> set[str]:
    """The heartbeat: what `worker` still runs stays its own for `lease` microseconds.

    Returns the ids that are still its own.
    """
    params = {"p_actor": worker, "p_lease": lease, "p_ids": list(ids)}
    return set(tx.conn.scalars(EXTEND_LEASES, tx.params(params)))


def mine(tx: Tx, worker: str) -> list[Claim]:
    """Everything that is executing under `worker`'s name, also what it was never told of."""
    return [_claim(row) for row in tx.conn.execute(MINE, {"p_actor": worker})]


def finish(tx: Tx, worker: str, results: Sequence[Finish]) -> list[Finish]:
    """executing -> each result's state, fenced by state and attempt, with all that follows.

    `scheduled` becomes `cancelled` where a cancel was recorded meanwhile. Returns the results
    that came too late: somebody had taken those actions over.
    """
    moved = _finish(tx, worker, results)
    if moved:
        tx.does("finish")
    for row in moved:
        if row.state == State.EXECUTED:
            if row.has_dependants or row.compensates is not None:
                executed(tx, row, worker)
        elif row.state in (State.FAILED, State.CANCELLED):
            ended(tx, row, worker)
        elif row.state == State.SCHEDULED:
            tx.brings(row.execute_at)
    if len(moved) == len(results):
        return []
    # Of several results of one action its newest attempt's may have won, and no other.
    newest = dict(sorted((result.id, result.attempt) for result in results))
    won = {(row.id, newest[row.id]) for row in moved}
    return [result for result in results if (result.id, result.attempt) not in won]


def _take(tx: Tx, take: Take, worker: str, slots: int, lease: int) -> list[Claim]:
    params = tx.params({"p_actor": worker, "p_slots": slots, "p_lease": lease})
    rows = _TAKES[take, tx.dialect].all(tx, params)
    if rows:
        tx.does("claim" if take is CLAIM else "sweep")
    if rows and tx.dialect == "sqlite":
        moves = ((row, take.verb, f'{{"attempt": {row.attempt}}}') for row in rows)
        record_many(tx, moves, worker)
    return sorted(map(_claim, rows), key=lambda taken: (taken.execute_at, taken.id))


def _claim(row: AnyRow) -> Claim:
    taken_over = row.previous_state == State.EXECUTING
    return Claim._make((*row[: len(CLAIMED)], row.late_cancel_at is not None, taken_over))


def _finish(tx: Tx, worker: str, results: Sequence[Finish]) -> Sequence[AnyRow]:
    # A result is a tuple, so its JSON is an array in the order of its fields.
    params = tx.params({"p_rows": json.dumps(results), "p_actor": worker})
    if tx.dialect == "postgresql":
        return _FINISH_POSTGRESQL.all(tx, params)
    moved = _FINISH_SQLITE.all(tx, params)
    if moved:
        data = {result.id: result.data for result in results}
        moves = ((row, FINISH_VERBS.get(row.state, row.state), data[row.id]) for row in moved)
        record_many(tx, moves, worker)
    return moved
