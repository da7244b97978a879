"""What was counted, in cells: half hours for what is shown by time, whole days for the sums.

A half hour has a cell for each kind and agent, for each kind, for each agent and for all together
(`""` stands for all), so that a year is drawn from thousands of cells, not millions. A day (UTC)
has one for each kind and agent. The slots of days lie below zero: day 0 is -1.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from sqlalchemy import BigInteger, String, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from webapp.domain.times import SECOND
from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.reading_schema import report_cell

ALL = ""
"""Every kind, every agent."""
HALF_HOUR = 1_800 * SECOND
DAY = 86_400 * SECOND


class Key(NamedTuple):
    """Which cell."""

    slot: int
    kind: str
    agent: str


Counts = Counter[str]
Cells = dict[Key, Counts]

_slot = report_cell.c.slot
_between = _slot.between(
    bindparam("b_first", type_=BigInteger()), bindparam("b_last", type_=BigInteger())
)
_COLUMNS = (_slot, report_cell.c.kind, report_cell.c.agent, report_cell.c.body)
_EVERY = Hot(select(*_COLUMNS).where(_between))
_ONE = Hot(
    select(_slot, report_cell.c.body).where(
        _between,
        report_cell.c.kind == bindparam("b_kind", type_=String()),
        report_cell.c.agent == bindparam("b_agent", type_=String()),
    )
)
_OF_SLOTS = select(*_COLUMNS).where(_slot.in_(bindparam("b_slots", expanding=True)))


def _put(dialect: object) -> object:
    put = dialect.insert(report_cell)  # type: ignore[attr-defined]
    return put.on_conflict_do_update(
        index_elements=["slot", "kind", "agent"], set_={"body": put.excluded.body}
    )


_PUT = {"postgresql": _put(postgresql), "sqlite": _put(sqlite)}


def half_hour(at: int, kind: str, agent: str) -> Key:
    """The cell of something that happened at `at` (UTC microseconds)."""
    return Key(at // HALF_HOUR, kind, agent)


def spread(halves: Mapping[Key, Counts]) -> Cells:
    """From half hours of one kind and agent each: all cells that they count in."""
    found: Cells = defaultdict(Counter)
    for key, counts in halves.items():
        if not counts:
            continue
        found[Key(day_slot(key.slot * HALF_HOUR // DAY), key.kind, key.agent)].update(counts)
        for kind, agent in product((key.kind, ALL), (key.agent, ALL)):
            found[Key(key.slot, kind, agent)].update(counts)
    return found


def day_slot(day: int) -> int:
    """Where a day (since 1970, UTC) stands."""
    return -1 - day


def add(tx: Tx, cells: Mapping[Key, Counts]) -> None:
    """Add these counts to what the cells hold. The caller lets nobody else write meanwhile."""
    slots = sorted({key.slot for key in cells})
    held = {
        Key(row.slot, row.kind, row.agent): row.body
        for row in tx.conn.execute(_OF_SLOTS, {"b_slots": slots})
    }
    rows = []
    for key, counts in sorted(cells.items()):
        total = Counter(json.loads(held.get(key, "{}")))
        total.update(counts)
        body = json.dumps(total, separators=(",", ":"), sort_keys=True)
        rows.append(key._asdict() | {"body": body})
    if rows:
        tx.conn.execute(_PUT[tx.dialect], rows)  # type: ignore[call-overload]


def halves(tx: Tx, first: int, last: int, kind: str, agent: str) -> Iterator[tuple[int, Counts]]:
    """The half hours from `first` to `last` (since 1970) in which something was counted."""
    asked = {"b_first": first, "b_last": last, "b_kind": kind, "b_agent": agent}
    for row in _ONE.all(tx, asked):
        yield row.slot, Counter(json.loads(row.body))


def sums(tx: Tx, begin: int, end: int) -> dict[tuple[str, str], Counts]:
    """By kind and agent, between two times (UTC microseconds) that begin half hours."""
    found: defaultdict[tuple[str, str], Counts] = defaultdict(Counter)
    for first, last in _spans(begin, end):
        for row in _EVERY.all(tx, {"b_first": first, "b_last": last}):
            if row.kind != ALL and row.agent != ALL:
                found[row.kind, row.agent].update(json.loads(row.body))
    return dict(found)


def _spans(begin: int, end: int) -> list[tuple[int, int]]:
    """Slots, both ends included: whole days where there are any, half hours at the edges."""
    first, last = -(-begin // DAY), end // DAY
    if first >= last:
        return [(begin // HALF_HOUR, -(-end // HALF_HOUR) - 1)]
    found = [(day_slot(last - 1), day_slot(first))]
    found.append((begin // HALF_HOUR, first * DAY // HALF_HOUR - 1))
    found.append((last * DAY // HALF_HOUR, -(-end // HALF_HOUR) - 1))
    return [(low, high) for low, high in found if low <= high]
