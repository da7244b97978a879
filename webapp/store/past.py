"""What the rules of a policy row ask of the drafts before: each found by an index.

Those of the last seconds stand together at the end of an agent's or an order's ids, which begin
with their time: so no draft pays for an index by time.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Integer,
    String,
    bindparam,
    cast,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from webapp.domain.ids import least_id
from webapp.domain.states import RAN_OUT
from webapp.domain.times import SECOND
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.schema import action

LOOKED_AT = 10_000
"""Of a customer's or an agent's actions, the latest: one among none of its kind is a first."""
_DRAFTED_WITHIN = 60 * SECOND
"""An id is made at most this much before its row says that it was drafted."""


def _text(name: str) -> Any:
    return bindparam(f"b_{name}", type_=String())


def _number(name: str) -> Any:
    return bindparam(f"b_{name}", type_=BigInteger())


_one = literal_column("1", Integer())
_went_on = action.c.state.not_in([word(state) for state in sorted(RAN_OUT)])
_lately = (
    action.c.kind == _text("kind"),
    action.c.id >= _text("least_id"),
    action.c.drafted_at > _number("since"),
)
_mine = (
    action.c.agent == _text("agent"),
    # What a person drafted of an agent's action is not the agent's doing.
    action.c.drafted_by == "agent:" + _text("agent"),
    *_lately,
)
_DRAFTED = Hot(
    select(func.count().label("found")).select_from(
        select(_one.label("one")).where(*_mine).limit(_number("most")).subquery()
    )
)
# As a float: it cannot overflow, and is exact beyond the largest limit.
_SPENT = Hot(
    select(
        func.coalesce(func.sum(cast(action.c.amount_value, Double())), 0.0).label("found")
    ).where(*_mine, action.c.amount_currency == _text("currency"), _went_on)
)
_LAST_DECISION = Hot(
    select(action.c.decision)
    .where(*_mine, action.c.id != _text("id"))
    .order_by(action.c.id.desc())
    .limit(literal_column("1"))
)
_DUPLICATE = Hot(
    select(action.c.id)
    .where(
        action.c.order_ref == _text("order"),
        *_lately,
        action.c.amount_value == _number("value"),
        action.c.amount_currency == _text("currency"),
        or_(_number("ended") == 1, _went_on),
    )
    .limit(literal_column("1"))
)


def _seldom(column: str, name: str) -> ColumnElement[bool]:
    """Whether none of the latest of this one's is of the kind, and went on."""
    latest = (
        select(action.c.kind, _went_on.label("went_on"))
        .where(action.c[column] == _text(name))
        .order_by(action.c.id.desc())
        .limit(literal_column(str(LOOKED_AT)))
        .subquery()
    )
    return ~exists().where(latest.c.kind == _text("kind"), latest.c.went_on)


_FIRST = Hot(
    select(
        _seldom("customer_ref", "customer").label("for_customer"),
        _seldom("agent", "agent").label("by_agent"),
    )
)


@dataclass(frozen=True, slots=True)
class Drafter:
    """Which agent drafts which kind. `now` in UTC microseconds."""

    agent: str
    kind: str
    now: int

    def lately(self, seconds: int) -> dict[str, object]:
        """Parameters for the drafts of the last `seconds`."""
        since = self.now - seconds * SECOND
        least = least_id(since - _DRAFTED_WITHIN)
        return {
            "b_agent": self.agent,
            "b_kind": self.kind,
            "b_since": since,
            "b_least_id": least,
        }


def drafted(tx: Tx, who: Drafter, seconds: int, most: int) -> int:
    """How many it drafted within `seconds`, counted up to `most`."""
    row = _DRAFTED.first(tx, who.lately(seconds) | {"b_most": most})
    return 0 if row is None else int(row.found)


def spent(tx: Tx, who: Drafter, seconds: int, currency: str) -> float:
    """What it drafted within `seconds` comes to, but for what has ended without an effect."""
    row = _SPENT.first(tx, who.lately(seconds) | {"b_currency": currency})
    return 0.0 if row is None else float(row.found)


def last_decision(tx: Tx, who: Drafter, seconds: int, but: str) -> str | None:
    """The decision (JSON) of its latest draft within `seconds`, `but` for one."""
    row = _LAST_DECISION.first(tx, who.lately(seconds) | {"b_id": but})
    return None if row is None else str(row.decision)


def duplicate(
    tx: Tx, who: Drafter, seconds: int, order: str, amount: tuple[int, str], *, ended: bool
) -> bool:
    """Whether the order has one of this kind and amount; `ended`: also one without an effect."""
    asked = {"b_order": order, "b_value": amount[0], "b_currency": amount[1], "b_ended": int(ended)}
    return _DUPLICATE.first(tx, who.lately(seconds) | asked) is not None


def firsts(tx: Tx, who: Drafter, customer: str) -> tuple[bool, bool]:
    """Whether it is the first of its kind for the customer, and by the agent.

    What has ended without an effect was none: the next after a rejected one is a first again.
    """
    asked = {"b_agent": who.agent, "b_kind": who.kind, "b_customer": customer}
    row = _FIRST.first(tx, asked)
    return (False, False) if row is None else (bool(row.for_customer), bool(row.by_agent))
