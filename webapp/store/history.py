"""What happened to the actions of a kind, read in chunks of narrow rows, oldest first."""

from collections.abc import Iterator

from sqlalchemy import BigInteger, String, Text, bindparam, func, literal_column, select

from webapp.domain.replay_past import Recorded
from webapp.store.engine import Database, Tx
from webapp.store.hot import Hot
from webapp.store.schema import action, view

_CHUNK = 5_000
_kind = action.c.kind == bindparam("b_kind", type_=String())
# What is emptied says nothing any more of what a policy would make of it.
_kept = action.c.pruned_at.is_(None)
_first_view = (
    select(func.min(view.c.at)).where(view.c.action == action.c.id).correlate(action)
).scalar_subquery()


def _reading(payload: bool) -> Hot:
    columns = [action.c[name] for name in Recorded._fields if name in action.c]
    narrow = [one for one in columns if one.name not in ("first_viewed_at", "payload")]
    text = action.c.payload if payload else literal_column("NULL", Text())
    return Hot(
        select(*narrow, _first_view.label("first_viewed_at"), text.label("payload"))
        .where(_kind, _kept, action.c.id >= bindparam("b_from", type_=String()))
        .where(action.c.id > bindparam("b_after", type_=String()))
        .order_by(action.c.id)
        .limit(literal_column(str(_CHUNK)))
    )


_READ = {payload: _reading(payload) for payload in (False, True)}
_latest = (
    select(action.c.id)
    .where(_kind, _kept)
    .order_by(action.c.id.desc())
    .limit(bindparam("b_most", type_=BigInteger()))
    .subquery()
)
_SPAN = Hot(
    select(func.count().label("number"), func.min(_latest.c.id).label("begin")).select_from(_latest)
)


def span(tx: Tx, kind: str, most: int) -> tuple[int, str]:
    """How many actions of the kind there are, up to `most`, and the id of the oldest of those."""
    row = _SPAN.first(tx, {"b_kind": kind, "b_most": most})
    return (0, "") if row is None else (row.number, row.begin or "")


def chunks(db: Database, kind: str, begin: str, *, payload: bool) -> Iterator[list[Recorded]]:
    """From the id `begin` on. Each chunk is a look of its own: no writer waits for a long one."""
    after = ""
    while True:
        with db.read() as tx:
            asked = {"b_kind": kind, "b_from": begin, "b_after": after}
            found = [Recorded._make(row) for row in _READ[payload].all(tx, asked)]
        if found:
            yield found
            after = found[-1].id
        if len(found) < _CHUNK:
            return
