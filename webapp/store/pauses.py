"""Pauses: while one stands, nothing that it names is claimed or tried again."""

import json
from dataclasses import dataclass

from sqlalchemy import String, bindparam, case, delete, insert, or_, select, update

from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.arrow import record_many
from webapp.store.engine import NOW, Tx
from webapp.store.schema import action, pause
from webapp.store.wakeup import UNKNOWN

GRACE_AT_MOST = 60 * SECOND
"""After a resume, what fell due meanwhile waits for the smaller of its window and this."""


@dataclass(frozen=True, slots=True)
class Pause:
    """`agent` and `kind` narrow it; both None: everything."""

    id: int
    agent: str | None
    kind: str | None
    reason: str
    paused_by: str
    paused_at: int


_ALL = select(pause).order_by(pause.c.id)
_DELETE = delete(pause).where(pause.c.id == bindparam("b_id")).returning(pause)
_agent, _kind = bindparam("b_agent", type_=String()), bindparam("b_kind", type_=String())
_grace = NOW + case((action.c.window < GRACE_AT_MOST, action.c.window), else_=GRACE_AT_MOST)
_GRACE = (
    update(action)
    .where(
        action.c.state == State.SCHEDULED,
        action.c.execute_at <= NOW,
        or_(_agent.is_(None), action.c.agent == _agent),
        or_(_kind.is_(None), action.c.kind == _kind),
    )
    .values(
        previous_state=action.c.state,
        execute_at=_grace,
        cancel_by=_grace,
        claimable_at=_grace,
        version=action.c.version + 1,
    )
    .returning(action.c.id, action.c.kind, action.c.state, action.c.previous_state)
)


def standing(tx: Tx) -> list[Pause]:
    """All pauses, oldest first."""
    return [Pause(**row._mapping) for row in tx.conn.execute(_ALL)]


def add(tx: Tx, *, agent: str | None, kind: str | None, reason: str, by: str) -> Pause:
    """Stop claims from the next one on; rows stay as they are."""
    values = {"agent": agent, "kind": kind, "reason": reason, "paused_by": by}
    row = tx.conn.execute(insert(pause).values(**values, paused_at=tx.now()).returning(pause)).one()
    return Pause(**row._mapping)


def remove(tx: Tx, pause_id: int, by: str) -> Pause | None:
    """End one pause. What fell due under it gets a grace first, so that people can look."""
    row = tx.conn.execute(_DELETE, {"b_id": pause_id}).first()
    if row is None:
        return None
    ended = Pause(**row._mapping)
    params = tx.params({"b_agent": ended.agent, "b_kind": ended.kind})
    graced = tx.conn.execute(_GRACE, params).all()
    if graced:
        data = json.dumps({"pause": ended.id, "reason": ended.reason})
        record_many(tx, ((moved, "resumed", data) for moved in graced), by)
    tx.due = UNKNOWN
    return ended
