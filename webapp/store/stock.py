"""What `exchange` may reserve."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, text, update

from webapp.domain.states import CANCELLABLE
from webapp.store.columns import quoted
from webapp.store.engine import NOW, Tx
from webapp.store.schema import action, stock


@dataclass(frozen=True, slots=True)
class Item:
    """`available` is what is neither reserved nor gone."""

    sku: str
    available: int
    name: str = ""


_ALL = select(stock).order_by(stock.c.sku)
_BY_SKU = select(stock).where(stock.c.sku == bindparam("b_sku"))
_SET = (
    update(stock)
    .where(stock.c.sku == bindparam("b_sku"))
    .values(available=bindparam("b_available"), name=bindparam("b_name"))
    .returning(stock.c.sku)
)

_EXPIRED = (
    select(action.c.id, action.c.version)
    # A text, not parameters: a prepared statement must match the partial index's predicate.
    .where(text(f"state IN ({quoted(CANCELLABLE)})"), action.c.reserved_until < NOW)
    .order_by(action.c.reserved_until)
    .limit(bindparam("b_limit"))
)


def put(tx: Tx, items: Iterable[Item]) -> None:
    """Set what is available of each; an empty name keeps the one it has."""
    for item in items:
        known = get(tx, item.sku)
        params = {"b_sku": item.sku, "b_available": item.available}
        if known is None:
            tx.conn.execute(
                insert(stock).values(sku=item.sku, available=item.available, name=item.name)
            )
        else:
            tx.conn.execute(_SET, params | {"b_name": item.name or known.name})


def get(tx: Tx, sku: str) -> Item | None:
    """One item."""
    row = tx.conn.execute(_BY_SKU, {"b_sku": sku}).first()
    return None if row is None else Item(row.sku, row.available, row.name)


def everything(tx: Tx) -> list[Item]:
    """All items, by sku."""
    return [Item(row.sku, row.available, row.name) for row in tx.conn.execute(_ALL)]


def expired(tx: Tx, limit: int) -> list[tuple[str, int]]:
    """Id and version of actions that nothing has begun and whose reservation is over."""
    rows = tx.conn.execute(_EXPIRED, tx.params({"b_limit": limit}))
    return [(row.id, row.version) for row in rows]
