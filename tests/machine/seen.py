"""What the database says at one moment, read past the store."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from webapp.domain.states import State
from webapp.store.engine import Database
from webapp.store.schema import action, dependency, event, pause, reservation, stock

_ROWS = select(action).order_by(action.c.id)
_LINKS = select(dependency)
_KEPT = select(reservation)
_STOCK = select(stock.c.available)
_PAUSES = select(pause)
_EVENTS = select(event).where(event.c.id > bindparam("b_after")).order_by(event.c.id)


@dataclass(frozen=True, slots=True)
class Seen:
    """All rows, by id; `events` are those since the last look."""

    now: int
    rows: Mapping[str, Any]
    parents: Mapping[str, set[str]]
    kept: Mapping[str, Any]
    available: int
    pauses: list[Any]
    events: list[Any]

    def paused(self, row: Any) -> bool:
        """Whether a pause keeps it from being claimed."""
        return any(
            one.agent in (None, row.agent) and one.kind in (None, row.kind) for one in self.pauses
        )

    def claimable(self, now: int) -> Iterator[Any]:
        """What could be claimed once it is due, soonest first, and is not due for too long."""
        return (row for row in self._free() if row.claimable_at + row.overdue_after >= now)

    def overdue(self, now: int) -> Iterator[Any]:
        """What is due for longer than its kind allows."""
        due = (row for row in self._free() if row.execute_at <= now)
        return (row for row in due if row.claimable_at + row.overdue_after < now)

    def _free(self) -> list[Any]:
        """Scheduled, and nothing but its time keeps it."""
        free = [
            row
            for row in self.rows.values()
            if row.state == State.SCHEDULED
            and not self.paused(row)
            and all(self.rows[one].state == State.EXECUTED for one in self.parents[row.id])
        ]
        return sorted(free, key=lambda row: (row.execute_at, row.id))


def look(db: Database, after: int) -> Seen:
    """The whole database, with the events behind number `after`."""
    parents: dict[str, set[str]] = defaultdict(set)
    with db.read() as tx:
        for link in tx.conn.execute(_LINKS):
            parents[link.child].add(link.parent)
        return Seen(
            tx.now(),
            {row.id: row for row in tx.conn.execute(_ROWS)},
            parents,
            {row.action: row for row in tx.conn.execute(_KEPT)},
            tx.conn.scalar(_STOCK) or 0,
            list(tx.conn.execute(_PAUSES)),
            list(tx.conn.execute(_EVENTS, {"b_after": after})),
        )
