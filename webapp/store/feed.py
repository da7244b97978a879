"""What the feed shows, page by page, and what its rows need to know of their neighbours.

Four sources, each read along its own index and in its own order: what waits for people, what ended
badly, what runs by the clock, what ended. A token remembers how far each of them was read.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, Select, bindparam, func, select, text, union_all

from webapp.domain.action import Action
from webapp.domain.filters import Filter
from webapp.domain.states import State
from webapp.store.actions import many
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.feed_sources import (
    ASKING,
    ASKS,
    CLOCK,
    ENDED_BADLY,
    REPEATED,
    SINCE,
    SOURCES,
    UNSETTLED,
    Key,
    Source,
)
from webapp.store.filtering import conditions
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of
from webapp.store.schema import action, dependency, view

PEOPLE_FIRST = 0.5
"""The share of a page that rows waiting for people may take from those that run by the clock."""
COUNTED = 10_000
"""Rows of each source are counted up to so many."""
LATELY = 3_000
"""Of what ended, the feed has so many at most, however many end in a minute."""

_LAST_OF_LATELY = (
    select(action.c.finished_at)
    .where(action.c.finished_at > SINCE)
    .order_by(action.c.finished_at.desc())
    .offset(LATELY)
    .limit(1)
)
_seen = (
    select(view.c.at)
    .where(
        view.c.action == action.c.id,
        view.c.person_id == bindparam("b_person", type_=Integer()),
        view.c.version == action.c.version,
    )
    .exists()
)


def _not_seen(*rows: Any, index: str) -> Select[Any]:
    found = select(action.c.id).where(*rows, ~_seen)
    return found.with_hint(action, f"INDEXED BY {index}", "sqlite")


_failed = (ENDED_BADLY, action.c.finished_at > SINCE, text("action.state = 'failed'"), ~REPEATED)
_UNREAD = union_all(
    _not_seen(ASKS, text("action.state <> 'awaiting_approval'"), index=ASKING.index),
    _not_seen(*_failed, index=UNSETTLED.index),
).limit(bindparam("b_limit", type_=Integer()))
_AROUND = Hot(
    union_all(
        select(
            dependency.c.parent.label("of"),
            action.c.id,
            action.c.kind,
            action.c.state,
            word("child").label("link"),
        )
        .join(action, action.c.id == dependency.c.child)
        .where(among(dependency.c.parent)),
        select(
            action.c.again_of.label("of"),
            action.c.id,
            action.c.kind,
            action.c.state,
            word("again").label("link"),
        ).where(action.c.again_of.is_not(None), among(action.c.again_of)),
    )
)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another action, as far as a row names it."""

    id: str
    kind: str
    state: State


@dataclass(frozen=True, slots=True)
class Around:
    """By action id: who depends on it, and what repeats it."""

    children: dict[str, list[Neighbour]] = field(default_factory=lambda: defaultdict(list))
    again: dict[str, list[Neighbour]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """From when on the feed has what ended badly, and what ended."""

    unsettled: int
    ended: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many match, of each source up to COUNTED; `needs` of them wait for people."""

    total: int
    needs: int


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in the feed's order. `ends`: how far each source was read; None: that was all."""

    rows: list[Action]
    ends: dict[str, Key] | None
    counts: Counts


class Reader:
    """Reads the feed in one transaction, as far as it matches `wanted`. `now` in microseconds."""

    def __init__(self, tx: Tx, wanted: Filter, since: Since, now: int) -> None:
        self._tx = tx
        self._wanted = conditions(wanted, now)
        self._sources = [source for source in SOURCES if source.states & wanted.states]
        # By their own indexes these find few rows, however many are open.
        self._few = wanted.customer is not None or wanted.order is not None
        last = tx.conn.scalar(_LAST_OF_LATELY, {"b_since": since.ended})
        self._since = {"b_since": since.unsettled, "b_lately": last or since.ended}

    def page(self, limit: int, after: Mapping[str, Key] | None = None) -> Page:
        """At most `limit` rows from where `after` says that the page before ended."""
        ends: dict[str, Key] = dict(after or {})
        ids: list[str] = []
        numbers: dict[Source, int] = {}
        people = int(limit * PEOPLE_FIRST)
        more = False
        for source in self._sources:
            most = {
                ASKING: people,
                UNSETTLED: max(people - len(ids), people // 4),
            }.get(source, limit - len(ids))
            found = self._some(source, most, ends.get(source.name))
            more = more or len(found) >= most
            ids.extend(row.id for row in found)
            numbers[source] = len(found)
            if found:
                ends[source.name] = (found[-1].by, found[-1].id)
        whole = not more and after is None
        counts = _counts(numbers) if whole else self.counts()
        rows = many(self._tx, ids)
        return Page([rows[one] for one in ids if one in rows], ends if more else None, counts)

    def ids(self, states: Iterable[State], limit: int) -> list[str]:
        """Those in one of `states`, at most `limit`, as the feed has them."""
        asked = action.c.state.in_([state.value for state in states])
        found: list[str] = []
        for source in self._sources:
            query = self._of(source).where(asked).limit(limit - len(found))
            found.extend(self._tx.conn.scalars(query, self._since))
        return found

    def counts(self) -> Counts:
        """How many match."""
        if not self._sources:
            return Counts(0, 0)
        each = [
            select(func.count()).select_from(
                self._of(source).order_by(None).limit(COUNTED).subquery()
            )
            for source in self._sources
        ]
        found = self._tx.conn.execute(
            select(*(one.scalar_subquery() for one in each)), self._since
        ).one()
        return _counts(dict(zip(self._sources, found, strict=True)))

    def _some(self, source: Source, most: int, after: Key | None) -> list[Any]:
        if most <= 0:
            return []
        query = self._of(source).limit(most)
        if after is not None:
            query = query.where(source.behind(after))
        return list(self._tx.conn.execute(query, self._since))

    def _of(self, source: Source) -> Select[Any]:
        return source.of(self._wanted, free=self._few and source is CLOCK)


def _counts(numbers: Mapping[Source, int]) -> Counts:
    needs = sum(numbers.get(source, 0) for source in (ASKING, UNSETTLED))
    return Counts(sum(numbers.values()), needs)


def matching(tx: Tx, wanted: Filter, now: int, ids: Iterable[str]) -> list[str]:
    """Those of `ids` that match, wherever they stand."""
    query = select(action.c.id).where(action.c.id.in_(list(ids)), *conditions(wanted, now))
    return list(tx.conn.scalars(query))


def unread(tx: Tx, person_id: int, since: int, limit: int) -> list[str]:
    """What is held or of unknown outcome now, or failed since, and this person has not seen so."""
    asked = {"b_person": person_id, "b_since": since, "b_limit": limit}
    return list(tx.conn.scalars(_UNREAD, asked))


def around(tx: Tx, ids: Iterable[str]) -> Around:
    """The neighbours of `ids` in one query."""
    found = Around()
    wanted = list(ids)
    if wanted:
        for row in _AROUND.all(tx, ids_of(tx, wanted)):
            side = found.children if row.link == "child" else found.again
            side[row.of].append(Neighbour(row.id, row.kind, State(row.state)))
    return found
