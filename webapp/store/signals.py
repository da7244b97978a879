"""Signals: what was reported, what it found, and the answer that a repeat gets again."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, String, Text, and_, bindparam, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from webapp.domain.states import State
from webapp.store.arrow import param, record_many
from webapp.store.columns import word
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.holding import TOUCHED, Cause, Sweep
from webapp.store.schema import action, signal

_VERB = "signalled"


class Told(NamedTuple):
    """What an earlier request with the same key said, hashed, and what it was answered."""

    said_hash: str
    answer: dict[str, list[str]]


_SAID = ("request_key", "said_hash", "type", "customer_ref", "order_ref", "note", "sent_by")


def _insert(dialect: Any) -> Any:
    values = {name: bindparam(name, type_=signal.c[name].type) for name in _SAID}
    made = dialect.insert(signal).values(**values, at=NOW, answer="{}")
    return made.on_conflict_do_nothing().returning(signal.c.request_key)


_INSERT = {"postgresql": _insert(postgresql), "sqlite": _insert(sqlite)}
_KEY = signal.c.request_key == bindparam("b_key", type_=String())
_TOLD = select(signal.c.said_hash, signal.c.answer).where(_KEY)
_ANSWER = update(signal).where(_KEY).values(answer=bindparam("b_answer", type_=Text()))
_MARK = Sweep(_VERB, State.AWAITING_APPROVAL, TOUCHED, {"state_reason": param("why")})
_OPEN = (State.SCHEDULED, State.HELD, State.EXECUTING, State.UNKNOWN)
_LATELY = and_(
    action.c.state == word(State.EXECUTED),
    action.c.finished_at > NOW - param("lately", BigInteger()),
)
_FOUND = (
    select(action.c.id, action.c.kind, action.c.state, action.c.state.label("previous_state"))
    .where(TOUCHED, or_(action.c.state.in_([word(one) for one in _OPEN]), _LATELY))
    .order_by(action.c.id)
)


def begin(tx: Tx, **said: str | None) -> bool:
    """Whether this request is the first with its key; others wait until it has been answered.

    `said` is a row of `signal` without its time and answer.
    """
    return tx.conn.execute(_INSERT[tx.dialect], tx.params(said)).first() is not None


def told(tx: Tx, key: str) -> Told:
    """What the request with `key` said and was told."""
    row = tx.conn.execute(_TOLD, {"b_key": key}).one()
    return Told(row.said_hash, json.loads(row.answer))


def answer(tx: Tx, key: str, answer: dict[str, list[str]]) -> None:
    """Keep what the request with `key` is told."""
    tx.conn.execute(_ANSWER, {"b_key": key, "b_answer": json.dumps(answer)})


def mark(tx: Tx, customer: str | None, order: str | None, cause: Cause) -> None:
    """awaiting_approval -> the same, with the reason on the row.

    The version rises: who had it on screen without that looks again before approving.
    """
    _MARK.run(tx, {"b_customer": customer, "b_order": order}, cause)


def found(tx: Tx, customer: str | None, order: str | None, lately: int) -> list[AnyRow]:
    """What is scheduled or held, executing, unknown, or executed in the last `lately` microseconds.

    In one look: each has one state.
    """
    params = {"b_customer": customer, "b_order": order, "p_lately": lately}
    return list(tx.conn.execute(_FOUND, tx.params(params)).all())


def record(tx: Tx, rows: Iterable[AnyRow], cause: Cause) -> None:
    """The signal in the timelines of actions that it does not move."""
    if happened := [(row, _VERB, cause.data) for row in rows]:
        record_many(tx, happened, cause.by)
