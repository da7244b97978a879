"""What the reports' counts are made of beside the events: their actions, as far as they are known.

Read after the event, but only what it had settled: `domain/counting.py` says which that is.
"""

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import BindParameter, bindparam, func, select

from webapp.domain.counting import Known
from webapp.store.engine import Tx
from webapp.store.events import parse_cursor
from webapp.store.schema import action, event, part

_NAMES = tuple(name for name in Known._fields if name not in ("mode", "shown_at"))
_ids: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
_KNOWN = select(
    action.c.id, action.c.decision, action.c.merges, *(action.c[name] for name in _NAMES)
).where(action.c.id.in_(_ids))
_JOINED = (
    select(part.c.action, func.max(part.c.drafted_at).label("at"))
    .where(part.c.action.in_(_ids))
    .group_by(part.c.action)
)
_AT = select(event.c.at).where(event.c.id == bindparam("b_id"))
_NEWEST = select(event.c.id, event.c.at).order_by(event.c.id.desc()).limit(1)


def known(tx: Tx, ids: Collection[str]) -> dict[str, Known]:
    """Those of `ids` that there are."""
    rows = tx.conn.execute(_KNOWN, {"ids": sorted(ids)}).all()
    joined = _joined(tx, [row.id for row in rows if row.merges])
    return {
        row.id: Known(
            mode=str(json.loads(row.decision).get("mode", "")),
            shown_at=joined.get(row.id, row.drafted_at),
            **{name: getattr(row, name) for name in _NAMES},
        )
        for row in rows
    }


def reached(tx: Tx, cursor: str) -> tuple[int | None, int, int]:
    """How far a cursor is: the time of its event, its number, and the newest event's number.

    Numbers of events are about their count: some are left out, none comes twice.
    """
    _, number = parse_cursor(cursor)
    newest = tx.conn.execute(_NEWEST).first()
    at = tx.conn.scalar(_AT, {"b_id": number})
    return at, number, 0 if newest is None else newest.id


def _joined(tx: Tx, ids: Collection[str]) -> Mapping[str, int]:
    if not ids:
        return {}
    return {row.action: row.at for row in tx.conn.execute(_JOINED, {"ids": sorted(ids)})}
