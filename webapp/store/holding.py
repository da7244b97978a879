"""Arrows for all rows of a sort at once, for a reason that concerns them together.

Differs because PostgreSQL moves rows and logs events in one statement, and locks in id order, so
that two of these never wait for each other in a circle; SQLite has one writer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, String, bindparam, cast, literal, null, select, union, update

from webapp.domain.states import State
from webapp.store.arrow import log_moved, param, record_many
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.hold import HELD
from webapp.store.schema import action, part

_MOVED = (action.c.id, action.c.kind, action.c.state, action.c.previous_state)


@dataclass(frozen=True, slots=True)
class Cause:
    """`by` is an actor, `reason` stands on each row and in its event, `more` in the event alone.

    `reserve` renews reservations, as any hold does (microseconds).
    """

    by: str
    reason: str
    reserve: int
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> str:
        """The event's JSON."""
        return json.dumps({"reason": self.reason, **self.more})


class Sweep:
    """One arrow from `state` for every row of which `which` is true when its turn comes.

    `which` is a condition on `action`, with parameters of its own; `values` as an `Arrow` has them.
    """

    def __init__(
        self, verb: str, state: State, which: ColumnElement[bool], values: Mapping[str, Any]
    ) -> None:
        self._verb = verb
        there = action.c.state == word(state)
        self._sqlite = _move(values, which, there)
        found = (
            select(action.c.id)
            .where(which, there)
            .order_by(action.c.id)
            .with_for_update(of=action)
            .cte("found")
        )
        moved = _move(values, action.c.id.in_(select(found.c.id)), there).cte("moved")
        key = cast(null(), String())
        logged = log_moved(moved.c, literal(verb, String()), param("data"), key)
        self._postgresql = select(moved.c.id).add_cte(logged)

    def run(self, tx: Tx, values: Mapping[str, Any], cause: Cause) -> list[str]:
        """The ids of the rows that nobody else moved first."""
        said = {"p_by": cause.by, "p_why": cause.reason, "p_reserve": cause.reserve}
        params = tx.params({**values, **said})
        if tx.dialect == "postgresql":
            logged = {"p_actor": cause.by, "p_data": cause.data}
            return sorted(tx.conn.scalars(self._postgresql, params | logged))
        rows = tx.conn.execute(self._sqlite, params).all()
        if rows:
            record_many(tx, ((row, self._verb, cause.data) for row in rows), cause.by)
        return sorted(row.id for row in rows)


def _move(values: Mapping[str, Any], *where: ColumnElement[bool]) -> Any:
    return (
        update(action)
        .where(*where)
        .values(**values, previous_state=action.c.state, version=action.c.version + 1)
        .returning(*_MOVED)
    )


def _named(name: str) -> Any:
    return bindparam(f"b_{name}", type_=String())


def _hold(which: ColumnElement[bool]) -> Sweep:
    values = {**HELD, "state_by": param("by"), "state_reason": param("why")}
    return Sweep("held", State.SCHEDULED, which, values)


TOUCHED = action.c.id.in_(
    union(
        select(action.c.id).where(action.c.customer_ref == _named("customer")),
        select(action.c.id).where(action.c.order_ref == _named("order")),
        # A draft that joined another action may be about another order than the first one's.
        select(part.c.action).where(part.c.order_ref == _named("order")),
    )
)
"""For `:b_customer`, or about `:b_order`; null: not asked for."""
_KIND = _hold(action.c.kind == _named("kind"))
_CUSTOMER = _hold(action.c.customer_ref == _named("customer"))
_TOUCHED = _hold(TOUCHED)


def hold_kind(tx: Tx, kind: str, cause: Cause) -> list[str]:
    """scheduled -> held for every action of `kind`; their ids."""
    return _KIND.run(tx, {"b_kind": kind}, cause)


def hold_customer(tx: Tx, ref: str, cause: Cause) -> list[str]:
    """scheduled -> held for every action for the customer `ref`; their ids."""
    return _CUSTOMER.run(tx, {"b_customer": ref}, cause)


def hold_touched(tx: Tx, customer: str | None, order: str | None, cause: Cause) -> list[str]:
    """scheduled -> held for every action that `TOUCHED` names; their ids."""
    return _TOUCHED.run(tx, {"b_customer": customer, "b_order": order}, cause)
