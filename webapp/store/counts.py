"""How many actions stand where: for operators' figures."""

from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, text

from webapp.domain.states import TERMINAL
from webapp.domain.times import SECOND
from webapp.store.columns import quoted
from webapp.store.engine import NOW, Tx
from webapp.store.schema import action

LATELY = 60 * SECOND
"""What counts as finished lately, microseconds."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of actions by state and kind, and the longest claim delay (microseconds)."""

    open: dict[tuple[str, str], int]
    finished_lately: dict[tuple[str, str], int]
    lateness: int | None


_GROUP = (action.c.state, action.c.kind)
# a text, so that it matches the partial index's predicate
_OPEN = (
    select(*_GROUP, func.count())
    .where(text(f"state NOT IN ({quoted(TERMINAL)})"))
    .group_by(*_GROUP)
)
_FINISHED = (
    select(*_GROUP, func.count(), func.max(action.c.claimed_at - action.c.execute_at))
    .where(action.c.finished_at > NOW - bindparam("lately", type_=action.c.finished_at.type))
    .group_by(*_GROUP)
)


def counts(tx: Tx) -> Counts:
    """Reads every open row once: not for each request."""
    waiting = {(row[0], row[1]): row[2] for row in tx.conn.execute(_OPEN)}
    ended = tx.conn.execute(_FINISHED, tx.params({"lately": LATELY})).all()
    late = [row[3] for row in ended if row[3] is not None]
    return Counts(waiting, {(row[0], row[1]): row[2] for row in ended}, max(late) if late else None)
