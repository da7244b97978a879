"""Reading events in the one order in which they became visible.

A cursor is `TXID.ID` and opaque to everybody else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Integer,
    Select,
    String,
    bindparam,
    literal_column,
    select,
    tuple_,
)

from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.store.engine import AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.schema import action, event

BEGINNING = "0.0"
"""The cursor before the first event."""

_CURSOR = re.compile(r"(\d{1,18})\.(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an action; `cursor` stands behind it."""

    id: int
    cursor: str
    action: str
    kind: str
    verb: str
    from_state: State | None
    to_state: State
    at: int
    actor: str
    data: Mapping[str, Any]


# Differs because only PostgreSQL has transactions that end out of order: what a transaction still
# under way may yet bring is not read past.
_VISIBLE = literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint", BigInteger())
_COLUMNS = (
    *(event.c.id, event.c.txid, event.c.action, event.c.kind, event.c.verb),
    *(event.c.from_state, event.c.to_state, event.c.at, event.c.actor, event.c.data),
)


def _after(dialect: str, *, owned: bool) -> Select[Any]:
    txid, number = bindparam("b_txid", type_=BigInteger()), bindparam("b_id", type_=BigInteger())
    query = (
        select(*_COLUMNS)
        .order_by(event.c.txid, event.c.id)
        .limit(bindparam("b_limit", type_=Integer()))
    )
    if dialect == "postgresql":
        query = query.where(
            tuple_(event.c.txid, event.c.id) > tuple_(txid, number), event.c.txid < _VISIBLE
        )
    else:
        query = query.where(event.c.txid == txid, event.c.id > number)
    if owned:
        query = query.join(action, action.c.id == event.c.action).where(
            action.c.agent == bindparam("b_agent", type_=String())
        )
    return query


_AFTER = {
    (dialect, owned): Hot(_after(dialect, owned=owned))
    for dialect in ("postgresql", "sqlite")
    for owned in (False, True)
}
_NEWEST = select(event.c.txid, event.c.id).order_by(event.c.txid.desc(), event.c.id.desc()).limit(1)
_LATEST = {"sqlite": _NEWEST, "postgresql": _NEWEST.where(event.c.txid < _VISIBLE)}
_OF = select(*_COLUMNS).where(event.c.action == bindparam("b_action")).order_by(event.c.id)

_WITH_KEY = _OF.where(event.c.request_key == bindparam("b_key")).limit(1)


def parse_cursor(cursor: str) -> tuple[int, int]:
    """Raises Invalid for anything that is not a cursor."""
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise Invalid.field("/after", "not a cursor of this desk")
    return int(match[1]), int(match[2])


def after(tx: Tx, cursor: str, limit: int, *, agent: str | None = None) -> list[Event]:
    """Up to `limit` events behind `cursor`, of `agent`'s actions or of all. Raises Invalid."""
    txid, number = parse_cursor(cursor)
    params = {"b_txid": txid, "b_id": number, "b_limit": limit}
    if agent is not None:
        params["b_agent"] = agent  # type: ignore[assignment]
    return [_event(row) for row in _AFTER[tx.dialect, agent is not None].all(tx, params)]


def latest(tx: Tx) -> str:
    """The cursor behind everything that is visible now: the newest event's.

    Not the newest transaction's: a server that crashed gives the numbers of those that left
    nothing to others, whose events a reader would skip.
    """
    row = tx.conn.execute(_LATEST[tx.dialect]).first()
    return BEGINNING if row is None else f"{row.txid}.{row.id}"


def of_action(tx: Tx, action_id: str) -> list[Event]:
    """An action's whole timeline, oldest first."""
    return [_event(row) for row in tx.conn.execute(_OF, {"b_action": action_id})]


def with_key(tx: Tx, action_id: str, key: str) -> Event | None:
    """What the request with `key` caused on this action, where an event says so."""
    row = tx.conn.execute(_WITH_KEY, {"b_action": action_id, "b_key": key}).first()
    return None if row is None else _event(row)


def _event(row: AnyRow) -> Event:
    return Event(
        id=row.id,
        cursor=f"{row.txid}.{row.id}",
        action=row.action,
        kind=row.kind,
        verb=row.verb,
        from_state=row.from_state and State(row.from_state),
        to_state=State(row.to_state),
        at=row.at,
        actor=row.actor,
        data=json.loads(row.data),
    )
