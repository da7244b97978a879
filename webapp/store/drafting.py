"""The arrows that begin a row: the insert, its event, its links, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    String,
    Text,
    bindparam,
    cast,
    exists,
    insert,
    literal,
    null,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from webapp.domain.kinds.base import Stock
from webapp.domain.states import RAN_OUT, State
from webapp.store.arrow import log_moved, param, record
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.schema import action, dependency, desk, part, reservation, stock

_COLUMNS = (
    *("id", "kind", "state", "summary", "reason", "payload", "payload_hash"),
    *("amount_value", "amount_currency", "customer", "customer_ref", "order_ref", "agent"),
    *("drafted_by", "drafted_at", "not_before_at", "draft_key", "draft_hash", "window", "margin"),
    *("cancel_by", "execute_at", "claimable_at", "decision", "blockers", "state_by"),
    *("overdue_after", "reserved_until", "compensates", "again_of", "merge_key", "merge_scope"),
    *("state_reason", "unseen", "approve_by"),
)

_USUAL = {"blockers": 0, "unseen": False}


class Drafted(StrEnum):
    """How an insert ended."""

    NEW = "new"
    KNOWN = "known"
    """A row with this key or for this way back exists already."""
    JOINED = "joined"
    """It became part of an action that was scheduled already."""
    STALE = "stale"
    """The policy table has changed since the decision: decide again."""


@dataclass(frozen=True, slots=True)
class NewAction:
    """A row to be: `values` by column name, and the event's data as JSON."""

    values: Mapping[str, Any]
    revision: int
    """Of the policy table that decided."""
    data: str = "{}"
    stops: str = ""
    """Why what its agent has scheduled of this kind is to be held, where it is."""


class _Logged:
    """What `record` needs of a row that has just begun."""

    previous_state = None

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.id, self.kind, self.state = values["id"], values["kind"], values["state"]


def _insert(dialect: Any) -> Any:
    binds = [param(name, action.c[name].type).label(name) for name in _COLUMNS]
    # A key whose draft joined another action is as used as one that stands on a row.
    joined = exists().where(
        part.c.agent == param("agent", String()), part.c.draft_key == param("draft_key", String())
    )
    current = (
        select(*binds)
        .select_from(desk)
        .where(desk.c.revision == param("revision", BigInteger()), ~joined)
    )
    return dialect.insert(action).from_select(_COLUMNS, current).on_conflict_do_nothing()


def _insert_postgresql() -> Any:
    drafted = (
        _insert(postgresql)
        .returning(
            action.c.id,
            action.c.kind,
            cast(null(), String()).label("previous_state"),
            action.c.state,
        )
        .cte("drafted")
    )
    verb, key = literal("drafted", String()), cast(null(), String())
    logged = log_moved(drafted.c, verb, param("data", Text()), key)
    return select(drafted.c.id).add_cte(logged)


_INSERT_SQLITE = Hot(_insert(sqlite).returning(action.c.id))
_INSERT_POSTGRESQL = Hot(_insert_postgresql())
_REVISION = select(desk.c.revision)
_PARENTS = (
    select(action.c.id, action.c.state, action.c.agent)
    .where(action.c.id.in_(bindparam("parents", expanding=True)))
    .order_by(action.c.id)
    .with_for_update()
)
_HAS_DEPENDANTS = (
    update(action)
    .where(action.c.id.in_(bindparam("parents", expanding=True)))
    .values(has_dependants=True)
)
_DEPEND = insert(dependency).values(child=bindparam("child"), parent=bindparam("parent"))
_TAKE_STOCK = (
    update(stock)
    .where(stock.c.sku == bindparam("b_sku"), stock.c.available >= bindparam("b_quantity"))
    .values(available=stock.c.available - bindparam("b_quantity"))
    .returning(stock.c.available)
)
_RESERVE = insert(reservation).values(
    action=bindparam("action"),
    sku=bindparam("sku"),
    quantity=bindparam("quantity"),
    reserved_at=NOW,
)


def draft(tx: Tx, new: NewAction) -> Drafted:
    """(draft) -> the state in `new.values`; one round trip on PostgreSQL."""
    values: dict[str, Any] = {**dict.fromkeys(_COLUMNS), **_USUAL, **new.values}
    params = {f"p_{name}": values[name] for name in _COLUMNS} | {"p_revision": new.revision}
    if tx.dialect == "postgresql":
        logged = {"p_actor": values["drafted_by"], "p_data": new.data}
        inserted = _INSERT_POSTGRESQL.first(tx, params | logged)
    else:
        inserted = _INSERT_SQLITE.first(tx, params)
        if inserted is not None:
            record(tx, _Logged(values), "drafted", values["drafted_by"], new.data)
    if inserted is None:
        current = tx.conn.scalar(_REVISION)
        return Drafted.KNOWN if current == new.revision else Drafted.STALE
    tx.does("draft" if values["compensates"] is None else "compensate")
    if values["state"] == State.SCHEDULED and not values["blockers"]:
        tx.brings(values["execute_at"])
    return Drafted.NEW


def lock_parents(tx: Tx, parents: Sequence[str]) -> Sequence[AnyRow]:
    """Their id, state and agent, locked until the end of the transaction.

    A cancel of a parent either comes first, and is seen here, or waits and takes the child too.
    """
    rows = tx.conn.execute(_PARENTS, {"parents": list(parents)}).all()
    tx.conn.execute(_HAS_DEPENDANTS, {"parents": list(parents)})
    return rows


def blockers(parents: Sequence[AnyRow]) -> int:
    """How many of them are short of executed."""
    return sum(1 for parent in parents if parent.state != State.EXECUTED)


def dead(parents: Sequence[AnyRow]) -> list[str]:
    """Those that ended without an effect."""
    return [parent.id for parent in parents if parent.state in RAN_OUT]


def depend(tx: Tx, child: str, parents: Sequence[str]) -> None:
    """Link a new row to the locked rows that it waits for."""
    tx.conn.execute(_DEPEND, [{"child": child, "parent": parent} for parent in parents])


def take_stock(tx: Tx, wanted: Stock) -> bool:
    """Take from stock; False when there is not enough or no such item."""
    params = {"b_sku": wanted.sku, "b_quantity": wanted.quantity}
    return tx.conn.execute(_TAKE_STOCK, params).first() is not None


def reserve(tx: Tx, action_id: str, taken: Stock) -> None:
    """Keep what `take_stock` took for a row of this transaction."""
    tx.conn.execute(
        _RESERVE,
        tx.params({"action": action_id, "sku": taken.sku, "quantity": taken.quantity}),
    )
