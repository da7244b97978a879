"""Finding actions by the table's own indexes: at once, whatever the index of words knows."""

from sqlalchemy import Integer, Select, String, bindparam, select, union

from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.schema import action, part

LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""Below it are all ids."""
_before = bindparam("b_before", type_=String())
_limit = bindparam("b_limit", type_=Integer())
_value = bindparam("b_value", type_=String())


def _newest(of: Select[tuple[str]]) -> Select[tuple[str]]:
    return of.where(action.c.id < _before).order_by(action.c.id.desc()).limit(_limit)


def _either(*those: Select[tuple[str]]) -> Hot:
    """The newest of several lists, each of which an index gives in order."""
    lists = [select(one.subquery()) for one in those]
    all_of_them = union(*lists).subquery()
    return Hot(select(all_of_them.c.id).order_by(all_of_them.c.id.desc()).limit(_limit))


_id = select(action.c.id)
_customers = _newest(_id.where(action.c.customer_ref == _value))
_orders = _newest(_id.where(action.c.order_ref == _value))
_joined = _newest(_id.join(part, part.c.action == action.c.id).where(part.c.order_ref == _value))
_itself = _newest(_id.where(action.c.id == _value))
_NEWEST = Hot(_newest(_id))
_BY_CUSTOMER = Hot(_customers)
_BY_ORDER = _either(_orders, _joined)
_NAMED = _either(_itself, _customers, _orders, _joined)


def newest(tx: Tx, before: str, limit: int) -> list[str]:
    """The ids below `before`, newest first; so do all of these."""
    return _ids(tx, _NEWEST, before, limit)


def of_customer(tx: Tx, ref: str, before: str, limit: int) -> list[str]:
    """The ids of a customer's actions."""
    return _ids(tx, _BY_CUSTOMER, before, limit, ref)


def of_order(tx: Tx, ref: str, before: str, limit: int) -> list[str]:
    """The ids of an order's actions, those included that a draft about it joined."""
    return _ids(tx, _BY_ORDER, before, limit, ref)


def named(tx: Tx, name: str, before: str, limit: int) -> list[str]:
    """The ids of what is called so: an action itself, or a customer's or an order's."""
    return _ids(tx, _NAMED, before, limit, name)


def _ids(tx: Tx, query: Hot, before: str, limit: int, value: str | None = None) -> list[str]:
    asked = {"b_before": before, "b_limit": limit}
    return [row.id for row in query.all(tx, asked if value is None else asked | {"b_value": value})]
