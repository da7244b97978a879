"""What waits for approval: the queue, how long it is, and the end of what nobody decides on."""

import json

from sqlalchemy import BindParameter, Integer, bindparam, func, select

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.actions import many
from webapp.store.arrow import Arrow, asked
from webapp.store.asker import Asker
from webapp.store.batches import NOT_PAUSED
from webapp.store.consequences import ended
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.schema import ASKING, WAITING, action

_limit: BindParameter[int] = bindparam("b_limit", type_=Integer())
_waiting = select(action.c.id).where(ASKING, WAITING)
# An id begins with the time of its draft.
_OLDEST = _waiting.order_by(action.c.id).limit(_limit)
_COUNT = select(func.count()).select_from(_waiting.limit(_limit).subquery())
_EXPIRED = (
    select(action.c.id, action.c.drafted_at, action.c.approve_by)
    .where(WAITING, action.c.approve_by <= NOW, NOT_PAUSED)
    .order_by(action.c.approve_by)
    .limit(_limit)
)
_EXPIRE = Arrow(
    "expired",
    asked(State.AWAITING_APPROVAL, state=State.REJECTED, finished_at=NOW).where(
        action.c.approve_by <= NOW
    ),
)


def oldest(tx: Tx, limit: int) -> list[Action]:
    """The first `limit` of the queue, longest waiting first."""
    ids = tx.conn.scalars(_OLDEST, {"b_limit": limit}).all()
    found = many(tx, ids)
    return [found[one] for one in ids if one in found]


def count(tx: Tx, most: int) -> int:
    """How many wait, counted up to `most`."""
    return int(tx.conn.scalar(_COUNT, {"b_limit": most}) or 0)


def expired(tx: Tx, limit: int) -> list[tuple[str, int]]:
    """Ids whose time is over, and for how long each was to wait at most (microseconds).

    None that is paused: while people find out what is wrong, rows stay as they are.
    """
    rows = tx.conn.execute(_EXPIRED, tx.params({"b_limit": limit}))
    return [(row.id, row.approve_by - row.drafted_at) for row in rows]


def expire(tx: Tx, action_id: str, waited: int) -> AnyRow | None:
    """awaiting_approval -> rejected by policy, cancelling all descendants.

    None: somebody decided first.
    """
    asker = Asker("policy", f"nobody decided within {_words(waited)}")
    row = _EXPIRE.run(
        tx, asker.values(action_id), asker.actor, json.dumps({"reason": asker.reason})
    )
    if row is not None:
        ended(tx, row, asker.actor)
    return row


def _words(length: int) -> str:
    """`24 h`, `90 s`: in the largest unit of which it is a whole number."""
    seconds = length // SECOND
    for size, unit in ((3_600, "h"), (60, "min")):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
