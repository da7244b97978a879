"""Holding several actions at once, for a reason that concerns them all."""

from sqlalchemy import String, bindparam, select

from webapp.domain.states import State
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.engine import Tx
from webapp.store.schema import action

_SCHEDULED = (
    select(action.c.id)
    .where(
        action.c.kind == bindparam("b_kind", type_=String()),
        action.c.state == State.SCHEDULED,
    )
    .order_by(action.c.id)
)


def hold_kind(tx: Tx, kind: str, by: str, reason: str) -> list[str]:
    """scheduled -> held for every action of `kind` that no worker took first; their ids."""
    ids = tx.conn.scalars(_SCHEDULED, {"b_kind": kind}).all()
    asker = Asker(by, reason)
    return [one for one in ids if transitions.hold(tx, one, asker, 0) is not None]
