"""Rows for store tests: one of any state, and what it and its events look like now."""

from collections import deque
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from tests.unit.bodies import PAYLOADS
from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.ids import new_id
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import ARROWS, FIRST, TERMINAL, State
from webapp.domain.times import SECOND
from webapp.store.arrow import record
from webapp.store.asker import Asker
from webapp.store.claims import Claim, Finish, claim, finish
from webapp.store.drafting import depend, lock_parents
from webapp.store.engine import AnyRow, Database, Tx
from webapp.store.schema import action, event, reservation, stock

ANA = Asker("staff:ana@example.com", "because")
LEASE = 600 * SECOND
WORKER = "worker:test"
GONE = "0195aaaa-0000-7000-8000-000000000000"
"""An id that no row has."""


def put(
    db: Database,
    state: State | str = State.SCHEDULED,
    *,
    kind: str = "refund",
    due: int = 0,
    parents: tuple[str, ...] = (),
    **columns: Any,
) -> str:
    """A row in `state`, due `due` microseconds from now, with its `drafted` event; its id.

    It waits for those of `parents` that are short of executed. States in which no row may begin
    are reached by the arrows of the table, without events.
    """

    def work(tx: Tx) -> str:
        target = State(state)
        made = _values(tx, kind, due) | {"state": _begins(target).value} | columns
        tx.conn.execute(insert(action).values(made))
        row = tx.conn.execute(select(action).where(action.c.id == made["id"])).one()
        record(tx, row, "drafted", "agent:bot")
        if parents:
            rows = lock_parents(tx, parents)
            waiting = sum(1 for parent in rows if parent.state != State.EXECUTED)
            depend(tx, made["id"], parents)
            tx.conn.execute(
                update(action).where(action.c.id == made["id"]).values(blockers=waiting)
            )
        walk(tx.conn, made["id"], target, tx.now())
        return str(made["id"])

    return db.transact(work)


def walk(conn: Connection, action_id: str, target: State, now: int) -> None:
    """Move a row that has just begun to `target` along the arrows of the table."""
    for state in _path(_begins(target), target):
        move = update(action).where(action.c.id == action_id)
        conn.execute(move.values(**fitting(state, now)))


def fitting(state: State, now: int) -> dict[str, Any]:
    """`state` with what the CHECKs want beside it."""
    cancelled = state is State.CANCELLED
    running = state is State.EXECUTING
    values: dict[str, Any] = {
        "state": state.value,
        "finished_at": now if state in TERMINAL else None,
        "cancelled_at": now if cancelled else None,
        "cancelled_by": "staff:bob@example.com" if cancelled else None,
        "worker": WORKER if running else None,
        "lease_until": now + LEASE if running else None,
    }
    if running:
        values |= {"attempt": 1, "claimed_at": now}
    return values


def _begins(target: State) -> State:
    if target in FIRST:
        return target
    return State.AWAITING_APPROVAL if target is State.REJECTED else State.SCHEDULED


def _path(source: State, target: State) -> list[State]:
    ways: deque[list[State]] = deque([[source]])
    while True:
        way = ways.popleft()
        if way[-1] is target:
            return way[1:]
        ways.extend([*way, after] for before, after in ARROWS if before is way[-1])


def _values(tx: Tx, kind: str, due: int) -> dict[str, Any]:
    now = tx.now()
    payload = PAYLOADS.get(kind, {})
    amount = KINDS[kind].amount(payload)
    text = canonical(payload)
    return {
        "id": new_id(now),
        "kind": kind,
        "state": State.SCHEDULED.value,
        "summary": "Do it",
        "reason": "",
        "payload": text,
        "payload_hash": fingerprint(text),
        "amount_value": amount and amount[0],
        "amount_currency": amount and amount[1],
        "customer": '{"ref":"c-1"}',
        "customer_ref": "c-1",
        "agent": "bot",
        "drafted_by": "agent:bot",
        "drafted_at": now,
        "window": 300 * SECOND,
        "margin": SECOND,
        "cancel_by": now + due - SECOND,
        "execute_at": now + due,
        "claimable_at": now + due,
        "decision": '{"because":[],"mode":"window"}',
        "state_by": "policy",
    }


def row(db: Database, action_id: str) -> AnyRow:
    """Every column of the row."""
    with db.read() as tx:
        return tx.conn.execute(select(action).where(action.c.id == action_id)).one()


def states(db: Database, *ids: str) -> list[str]:
    """Their states."""
    return [row(db, one).state for one in ids]


def verbs(db: Database, action_id: str) -> list[str]:
    """The verbs of its events, oldest first."""
    with db.read() as tx:
        found = select(event.c.verb).where(event.c.action == action_id).order_by(event.c.id)
        return list(tx.conn.scalars(found))


def count_events(db: Database) -> int:
    """All events there are."""
    with db.read() as tx:
        return tx.conn.scalar(select(func.count()).select_from(event)) or 0


def claim_all(db: Database, slots: int = 100, worker: str = WORKER) -> list[Claim]:
    """What a worker with `slots` free gets now."""
    return db.statement(lambda tx: claim(tx, worker, slots, LEASE))


def end(db: Database, action_id: str, state: State = State.EXECUTED, **more: Any) -> list[Finish]:
    """Finish the row's present attempt; the late results."""
    result = Finish(action_id, row(db, action_id).attempt, state, **more)
    return db.transact(lambda tx: finish(tx, WORKER, [result]))


def execute(db: Database, action_id: str, effect: str | None = None) -> None:
    """Claim what is due and execute this one."""
    assert action_id in {taken.id for taken in claim_all(db)}
    assert end(db, action_id, effect=effect) == []


def put_exchange(db: Database, *, sku: str = "mug", quantity: int = 1, **columns: Any) -> str:
    """An exchange that has taken `quantity` of `sku` from what `stocked` put there."""
    made = put(db, kind="exchange", **({"reserved_until": db.now() + LEASE} | columns))

    def work(tx: Tx) -> None:
        taken = stock.c.available - quantity
        tx.conn.execute(update(stock).where(stock.c.sku == sku).values(available=taken))
        values = {"action": made, "sku": sku, "quantity": quantity, "reserved_at": tx.now()}
        tx.conn.execute(insert(reservation).values(values))

    db.transact(work)
    return made


def stocked(db: Database, available: int, sku: str = "mug") -> None:
    """Put `available` of `sku` into stock."""
    db.transact(lambda tx: tx.conn.execute(insert(stock).values(sku=sku, available=available)))


def available(db: Database, sku: str = "mug") -> int:
    """What is neither reserved nor gone."""
    with db.read() as tx:
        return tx.conn.scalar(select(stock.c.available).where(stock.c.sku == sku)) or 0
