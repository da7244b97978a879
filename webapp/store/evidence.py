"""What the records say of a kind: of its latest actions, how they were decided and looked at."""

from typing import NamedTuple

from sqlalchemy import String, and_, bindparam, func, literal_column, or_, select

from webapp.domain.states import State
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.schema import action, event, view

LOOKED_AT = 5_000
"""The latest of a kind: one look costs the same however many there are."""
_latest = (
    select(action.c.id, action.c.state, action.c.drafted_at, action.c.decision)
    .where(action.c.kind == bindparam("b_kind", type_=String()))
    .order_by(action.c.id.desc())
    .limit(literal_column(str(LOOKED_AT)))
    .subquery()
)


class Answer(NamedTuple):
    """What became of one that waited for approval. Times in UTC microseconds."""

    drafted_at: int
    verb: str
    """`approved` or `rejected`."""
    actor: str
    at: int
    decision: str
    """JSON."""


class Back(NamedTuple):
    """How many ways back ended in this state."""

    state: str
    number: int


_ANSWERS = (
    select(_latest.c.drafted_at, event.c.verb, event.c.actor, event.c.at, _latest.c.decision)
    .join(event, event.c.action == _latest.c.id)
    .where(or_(event.c.verb == word("approved"), event.c.verb == word("rejected")))
)
_FIRST_VIEWS = (
    select(func.min(view.c.at) - _latest.c.drafted_at)
    .select_from(_latest)
    .join(view, view.c.action == _latest.c.id)
    .group_by(_latest.c.id, _latest.c.drafted_at)
)
_NUMBER = select(func.count()).select_from(_latest)
_WAITING = select(func.count()).where(and_(_latest.c.state == State.AWAITING_APPROVAL.value))
_BACKS = select(_latest.c.state, func.count()).group_by(_latest.c.state)


def number(tx: Tx, kind: str) -> int:
    """How many are looked at."""
    return tx.conn.scalar(_NUMBER, {"b_kind": kind}) or 0


def waiting(tx: Tx, kind: str) -> int:
    """How many of them wait for a decision now."""
    return tx.conn.scalar(_WAITING, {"b_kind": kind}) or 0


def answers(tx: Tx, kind: str) -> list[Answer]:
    """Every approval and rejection of them."""
    return [Answer._make(row) for row in tx.conn.execute(_ANSWERS, {"b_kind": kind})]


def first_views(tx: Tx, kind: str) -> list[int]:
    """From drafting to the first view, microseconds, of those that anybody had on screen."""
    return list(tx.conn.scalars(_FIRST_VIEWS, {"b_kind": kind}))


def ends(tx: Tx, kind: str) -> list[Back]:
    """How many stand in which state."""
    return [Back._make(row) for row in tx.conn.execute(_BACKS, {"b_kind": kind})]
