"""How long it took until somebody first had an action on screen."""

from sqlalchemy import String, bindparam, select

from webapp.store.engine import Tx
from webapp.store.schema import action

_LOOKED_AT = 5_000
"""The newest actions of all kinds: one look costs the same however many there are."""
_newest = (
    select(action.c.kind, action.c.first_viewed_at, action.c.drafted_at)
    .order_by(action.c.id.desc())
    .limit(_LOOKED_AT)
    .subquery()
)
_DELAYS = select(_newest.c.first_viewed_at - _newest.c.drafted_at).where(
    _newest.c.kind == bindparam("b_kind", type_=String()), _newest.c.first_viewed_at.is_not(None)
)
_AMOUNT = (
    select(action.c.amount_value, action.c.amount_currency)
    .where(
        action.c.id.in_(select(action.c.id).order_by(action.c.id.desc()).limit(_LOOKED_AT)),
        action.c.kind == bindparam("b_kind", type_=String()),
        action.c.amount_value.is_not(None),
    )
    .order_by(action.c.id.desc())
    .limit(1)
)


def delays(tx: Tx, kind: str) -> list[int]:
    """From drafting to the first view, microseconds, of those recent ones that were seen."""
    return list(tx.conn.scalars(_DELAYS, {"b_kind": kind}))


def last_amount(tx: Tx, kind: str) -> tuple[int, str] | None:
    """The amount of the newest draft of a kind that has one."""
    row = tx.conn.execute(_AMOUNT, {"b_kind": kind}).first()
    return None if row is None else (row.amount_value, row.amount_currency)
