"""The rows that a filter means (`domain.filters`): the one place that says so.

For the feed's pages, for live rows while a feed is filtered, and for what is done to all of them.
"""

import json
from collections.abc import Iterator

from sqlalchemy import ColumnElement, and_, or_, select

from webapp.domain.filters import Filter
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.schema import action, customer_flag, part

MARGIN_AT_MOST = 60
"""Seconds between what people are shown and when it runs (`domain.policy`)."""
_TEXTS = (
    *(action.c.summary, action.c.reason, action.c.order_ref),
    *(action.c.agent, action.c.kind, action.c.id),
)
_JSON = (action.c.customer, action.c.payload)
_PARTS = (part.c.summary, part.c.reason, part.c.order_ref)


def conditions(wanted: Filter, now: int) -> list[ColumnElement[bool]]:
    """All of them have to hold. `now` in UTC microseconds."""
    return [*_equal(wanted), *_amounts(wanted), *_due(wanted, now), *map(_says, wanted.words)]


def _equal(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    if wanted.kind:
        yield action.c.kind.in_(wanted.kind)
    if wanted.state:
        yield action.c.state.in_([state.value for state in wanted.state])
    if wanted.agent is not None:
        yield action.c.agent == wanted.agent
    if wanted.customer is not None:
        yield action.c.customer_ref == wanted.customer
    if wanted.order is not None:
        joined = select(part.c.action).where(part.c.order_ref == wanted.order)
        yield or_(action.c.order_ref == wanted.order, action.c.id.in_(joined))
    if wanted.flagged:
        yield action.c.customer_ref.in_(select(customer_flag.c.ref))


def _amounts(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    if wanted.currency is not None:
        yield action.c.amount_currency == wanted.currency
    if wanted.min is not None:
        yield action.c.amount_value >= wanted.min
    if wanted.max is not None:
        yield action.c.amount_value <= wanted.max


def _due(wanted: Filter, now: int) -> Iterator[ColumnElement[bool]]:
    if wanted.due is not None:
        until = now + wanted.due * SECOND
        yield action.c.state == State.SCHEDULED.value
        yield action.c.cancel_by <= until
        # It follows, and lets the index of what is open leave out the rest.
        yield action.c.execute_at <= until + MARGIN_AT_MOST * SECOND


def _says(word: str) -> ColumnElement[bool]:
    """Somewhere in its texts, in those of a draft that joined it, or in what it would send.

    Capitals of other alphabets than ASCII count on SQLite, which knows no others.
    """
    kept = json.dumps(word, ensure_ascii=False)[1:-1]
    there = (
        *(column.icontains(word, autoescape=True) for column in _TEXTS),
        *(column.icontains(kept, autoescape=True) for column in _JSON),
    )
    joined = select(part.c.id).where(
        part.c.action == action.c.id,
        or_(*(column.icontains(word, autoescape=True) for column in _PARTS)),
    )
    return or_(*there, and_(action.c.merges > 0, joined.exists()))
