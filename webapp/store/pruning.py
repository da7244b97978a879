"""Taking away what is personal of actions that ended long ago; what decided their fate stays.

Gone are payload and texts, the customer, the order, what joined it, and what the provider said in
its own words. Events stay as they are: they are append-only, and say who decided what, and why.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Integer, String, Text, bindparam, func, or_, select, update

from webapp.store import turns
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.schema import TOLD, action, attempt_log, desk, part, signal

EMPTY_CUSTOMER = '{"ref": ""}'
_KEPT_OF_EFFECT = ("status", "provider_id")


@dataclass(frozen=True, slots=True)
class Reach:
    """How far it is. `until`: what ended before is without personal data; `waits`: since when the
    oldest has ended that is not; None: none is there. UTC microseconds."""

    until: int
    waits: int | None


def _number(name: str) -> Any:
    return bindparam(f"b_{name}", type_=BigInteger())


_UNTIL = Hot(select(desk.c.pruned_until))
_old = (
    action.c.finished_at >= select(desk.c.pruned_until).scalar_subquery(),
    action.c.finished_at < _number("before"),
    action.c.pruned_at.is_(None),
)
_NEXT = Hot(
    select(action.c.id, action.c.finished_at, action.c.effect)
    .where(*_old)
    .order_by(action.c.finished_at, action.c.id)
    .limit(bindparam("b_most", type_=Integer()))
)
_OLDEST = Hot(select(func.min(action.c.finished_at).label("at")).where(*_old))
_id = bindparam("b_id", type_=String())
_EMPTY = Hot(
    update(action)
    .where(action.c.id == _id, action.c.finished_at.is_not(None), action.c.pruned_at.is_(None))
    .values(
        summary="",
        reason="",
        payload="{}",
        customer=EMPTY_CUSTOMER,
        customer_ref="",
        order_ref=None,
        merge_key=None,
        merge_scope=None,
        state_reason=None,
        cancel_reason=None,
        late_cancel_reason=None,
        effect=bindparam("b_effect", type_=Text()),
        error=None,
        # The provider is asked no more: the question would need the payload.
        look_at=None,
        pruned_at=NOW,
    )
)
_EMPTY_PARTS = Hot(
    update(part)
    .where(part.c.action == _id)
    .values(summary="", reason="", payload="{}", order_ref=None)
)
_LATE = Hot(
    select(attempt_log.c.id, attempt_log.c.effect).where(
        attempt_log.c.action == _id,
        or_(attempt_log.c.effect.is_not(None), attempt_log.c.error.is_not(None)),
    )
)
_EMPTY_LATE = Hot(
    update(attempt_log)
    .where(attempt_log.c.id == bindparam("b_number", type_=Integer()))
    .values(effect=bindparam("b_effect", type_=Text()), error=None)
)
_SIGNALS = Hot(
    select(signal.c.request_key)
    .where(signal.c.at < _number("before"), TOLD)
    .order_by(signal.c.at)
    .limit(bindparam("b_most", type_=Integer()))
)
_EMPTY_SIGNAL = Hot(
    update(signal)
    .where(signal.c.request_key == _id)
    .values(customer_ref=None, order_ref=None, note=None)
)
_REACHED = Hot(
    update(desk).where(desk.c.pruned_until < _number("until")).values(pruned_until=_number("until"))
)


def reach(tx: Tx, before: int) -> Reach:
    """How far it is with what ended before `before`."""
    until, oldest = _UNTIL.first(tx, {}), _OLDEST.first(tx, {"b_before": before})
    return Reach(until.pruned_until if until else 0, oldest.at if oldest else None)


def signals(tx: Tx, before: int, most: int) -> list[str]:
    """Keys of up to `most` signals of before `before` that still say whom they were about."""
    return [row.request_key for row in _SIGNALS.all(tx, {"b_before": before, "b_most": most})]


@contextmanager
def turn(tx: Tx) -> Iterator[None]:
    """One worker at a time does this; on SQLite, what is emptied inside is also overwritten.

    However it ends, the connection writes as usual afterwards: others write with it next.
    """
    turns.take_turns(tx, "pruning")
    if tx.dialect != "sqlite":
        yield
        return
    # Else the texts would stand in the file's free pages until others need the room.
    tx.run("PRAGMA secure_delete = ON").fetchall()
    try:
        yield
    finally:
        tx.run("PRAGMA secure_delete = OFF").fetchall()


def next_rows(tx: Tx, before: int, most: int) -> Sequence[AnyRow]:
    """Up to `most` that ended before `before`, the longest ago first: id, finished_at, effect."""
    return _NEXT.all(tx, {"b_before": before, "b_most": most})


def empty(tx: Tx, rows: Sequence[AnyRow]) -> None:
    """Take it away, from the rows and from all that hangs on them."""
    for row in rows:
        _EMPTY.go(tx, tx.params({"b_id": row.id, "b_effect": _bare(row.effect)}))
        _EMPTY_PARTS.go(tx, {"b_id": row.id})
        for late in _LATE.all(tx, {"b_id": row.id}):
            _EMPTY_LATE.go(tx, {"b_number": late.id, "b_effect": _bare(late.effect)})


def empty_signals(tx: Tx, keys: Sequence[str]) -> None:
    """Take away whom they were about; that they were sent, and answered, stays."""
    for key in keys:
        _EMPTY_SIGNAL.go(tx, {"b_id": key})


def reached(tx: Tx, until: int) -> None:
    """What ended before `until` is done."""
    _REACHED.go(tx, {"b_until": until})


def _bare(effect: str | None) -> str | None:
    """How it stands at the provider and under which id: no more of what the provider said."""
    if effect is None:
        return None
    said = json.loads(effect)
    return json.dumps({name: said.get(name) for name in _KEPT_OF_EFFECT} | {"detail": {}})
