"""What is about to run, counted: for people who are about to stop some of it."""

from dataclasses import dataclass

from sqlalchemy import String, bindparam, case, func, select, text

from webapp.domain.states import TERMINAL, State
from webapp.store.columns import quoted
from webapp.store.engine import Tx
from webapp.store.schema import action


@dataclass(frozen=True, slots=True)
class Ahead:
    """Actions of one kind and agent. `next_at` is when the first of the scheduled ones is due.

    What waits for another action has no time of its own.
    """

    kind: str
    agent: str
    scheduled: int
    running: int
    next_at: int | None


_scheduled = action.c.state == State.SCHEDULED
_due = case((_scheduled & (action.c.blockers == 0), action.c.execute_at))
_COUNTED = select(
    action.c.kind,
    action.c.agent,
    func.count(case((_scheduled, 1))).label("scheduled"),
    func.count(case((action.c.state == State.EXECUTING, 1))).label("running"),
    func.min(_due).label("next_at"),
).group_by(action.c.kind, action.c.agent)
# a text, so that it matches the partial index's predicate
_ALL = _COUNTED.where(text(f"state NOT IN ({quoted(TERMINAL)})"))
_CUSTOMER = _COUNTED.where(
    action.c.customer_ref == bindparam("b_customer", type_=String()),
    action.c.state.in_([State.SCHEDULED, State.EXECUTING]),
)


def everything(tx: Tx) -> list[Ahead]:
    """Reads every open row once: not for each request."""
    return [Ahead(**row._mapping) for row in tx.conn.execute(_ALL)]


def of_customer(tx: Tx, ref: str) -> list[Ahead]:
    """What is scheduled or running for one customer."""
    return [Ahead(**row._mapping) for row in tx.conn.execute(_CUSTOMER, {"b_customer": ref})]
