"""Finding any action there ever was, newest drafted first, a page at a time.

The index of words answers for all that its follower has come to; the table's own indexes answer
for what is called exactly so; and what has happened since is looked through one by one. The rows
have the last word on all of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

from webapp.domain.action import Action
from webapp.domain.filters import Filter
from webapp.domain.ids import made_at
from webapp.domain.searching import matches, says, terms, wanted
from webapp.services.desk import Desk
from webapp.services.screen import Surroundings, surroundings
from webapp.services.searchable import touched
from webapp.store import actions, events, finding, followers, policies, search
from webapp.store.engine import Tx

ROWS = 50
"""Of a page."""
LOOKED_THROUGH = 500
"""Events that the index has not come to, whose actions a search looks through itself."""
_AT_A_TIME = 100
_SECONDS = 0.2
"""After which a page ends, however little was found: what is beyond is another page."""


@dataclass(frozen=True, slots=True)
class Page:
    """What was found, and what its sentences need."""

    rows: list[Action]
    around: Surroundings
    next: str | None
    """The id below which the next page begins; None: there is nothing further."""
    looked_to: int | None
    """How far it has looked, where a page ends early (UTC microseconds)."""
    behind_since: int | None
    """What happened since is not all found yet (UTC microseconds); None: everything is."""


Source = Callable[[str, int], list[str]]
"""Ids below one, newest first, as many as asked for or all there are."""


def find(desk: Desk, asked: Filter, before: str | None = None) -> Page:
    """A page of what `asked` means, from below the id `before`."""
    with desk.db.read() as tx:
        return _Search(tx, asked, desk.now()).page(before or finding.LAST)


class _Search:
    def __init__(self, tx: Tx, asked: Filter, now: int) -> None:
        self._tx, self._asked, self._now = tx, asked, now
        self._flagged = {one.ref for one in policies.flags(tx)} if asked.flagged else set()
        self._sure: set[str] = set()
        """Ids whose text needs no further look."""
        late = events.after(tx, followers.place(tx, search.FOLLOWER), LOOKED_THROUGH)
        self._late = sorted(touched(late), reverse=True)
        self._behind_since = late[0].at if len(late) == LOOKED_THROUGH else None
        self._sources = list(self._sources_of())

    def page(self, before: str) -> Page:
        found: list[Action] = []
        bound: str | None = before
        until = monotonic() + _SECONDS
        while bound is not None and len(found) <= ROWS:
            ids, bound = self._look(bound)
            found += self._accepted(ids)
            if monotonic() > until:
                break
        more = len(found) > ROWS
        rows = found[:ROWS]
        further = rows[-1].id if more else bound
        looked_to = None if more or bound is None else made_at(bound)
        around = surroundings(self._tx, rows)
        return Page(rows, around, further, looked_to, self._behind_since)

    def _look(self, before: str) -> tuple[list[str], str | None]:
        """Ids that may be it, newest first, and the id down to which those are all there are."""
        lists = [source(before, _AT_A_TIME) for source in self._sources]
        cut = [ids[-1] for ids in lists if len(ids) >= _AT_A_TIME]
        bound = max(cut, default=None)
        ids = {one for ids in lists for one in ids if bound is None or one >= bound}
        return sorted(ids, reverse=True), bound

    def _accepted(self, ids: list[str]) -> list[Action]:
        rows = actions.many(self._tx, ids)
        known = [rows[one] for one in ids if one in rows]
        fit = [one for one in known if matches(one, self._asked, self._flagged, self._now)]
        if not terms(self._asked):
            return fit
        unsure = [one for one in fit if one.id not in self._sure]
        said = {entry.id for entry in search.entries(self._tx, unsure) if says(entry, self._asked)}
        return [one for one in fit if one.id in self._sure or one.id in said]

    def _sources_of(self) -> Iterator[Source]:
        """Together they have all of it. An order's, or a customer's, are all there at once."""
        tx, asked = self._tx, self._asked
        order, customer, typed = asked.order, asked.customer, asked.q
        if asked.flagged and not self._flagged:
            return
        if order is not None:
            yield lambda before, most: finding.of_order(tx, order, before, most)
        elif customer is not None:
            yield lambda before, most: finding.of_customer(tx, customer, before, most)
        elif typed is not None:
            yield self._surely(lambda before, most: finding.named(tx, typed, before, most))
            if terms(asked):
                yield from self._indexed()
        else:
            yield from self._indexed()

    def _indexed(self) -> Iterator[Source]:
        groups = wanted(self._asked, self._flagged)
        if not groups:
            yield lambda before, most: finding.newest(self._tx, before, most)
            return
        yield self._lately
        yield self._surely(lambda before, most: search.newest(self._tx, groups, before, most))

    def _surely(self, source: Source) -> Source:
        def remembered(before: str, most: int) -> list[str]:
            found = source(before, most)
            self._sure.update(found)
            return found

        return remembered

    def _lately(self, before: str, most: int) -> list[str]:
        return [one for one in self._late if one < before][:most]
