"""What a screen shows: rows of the feed with all that their sentences need, read at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from webapp.domain.action import Action
from webapp.domain.filters import EVERYTHING, Filter
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import actions, attempts, dependants, events, feed, merging, people
from webapp.store.attempts import Late
from webapp.store.dependants import Dependant
from webapp.store.engine import Tx
from webapp.store.feed import Around
from webapp.store.feed_sources import Key
from webapp.store.merging import Part

ROWS = 200
ENDED_SHOWN_FOR = 15 * 60 * SECOND
"""How long a row that ended stays on the feed."""
UNSETTLED_SHOWN_FOR = 7 * 24 * 3600 * SECOND
"""How long one stays that ended in a way somebody should look at."""
UNREAD = 200
"""How many rows that somebody has not seen in their trouble are told apart."""
NAMED = 20
"""How many of the actions that its cancel would stop a row names at most."""
_LEVELS = NAMED + 1
"""Each level holds one at least: what is further away is none of the first NAMED, nor the next."""

_CALLED = {"policy": "the policy", "customer": "the customer"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What rows refer to: other actions by id, links, people's names by actor, joined drafts."""

    actions: dict[str, Action]
    around: Around
    names: dict[str, str]
    late: dict[str, list[Late]]
    """What attempts reported after somebody else had taken them over, by action."""
    parts: dict[str, list[Part]] = field(default_factory=dict)
    """By action id: what each of its drafts said, where several were joined."""
    stopped: dict[str, list[Dependant]] = field(default_factory=dict)
    """By action id: what its cancel would stop too, nearest first; whole up to NAMED of them."""

    def name(self, actor: str) -> str:
        """How a page calls whoever acted: a person's name where it is known."""
        known = self.names.get(actor)
        return known or actor.partition(":")[2] or _CALLED.get(actor, actor)


class Page(NamedTuple):
    """Rows of the feed with what they refer to, and what a screen has to know of the others."""

    rows: list[Action]
    around: Surroundings
    cursor: str
    """From where a socket goes on."""
    counts: feed.Counts
    ends: dict[str, Key] | None
    """Where the next page begins; None: this was the last one."""
    unread: list[str]
    """Ids of what failed, is held or of unknown outcome, and this person has not seen so: at most
    UNREAD."""


class Changes(NamedTuple):
    """Events, and rows by id with what they refer to."""

    events: Sequence[events.Event]
    rows: dict[str, Action]
    around: Surroundings
    linked: dict[str, list[str]]
    """By the id of a touched row: those whose sentences it changes."""


def page(
    desk: Desk,
    person_id: int,
    wanted: Filter = EVERYTHING,
    after: Mapping[str, Key] | None = None,
) -> Page:
    """The next rows of the feed behind `after`, as far as they match.

    The cursor is read first: an event after it may be shown twice, none can be missed.
    """
    with desk.db.read() as tx:
        cursor = events.latest(tx)
        found = _reader(desk, tx, wanted).page(ROWS, after)
        unread = feed.unread(tx, person_id, desk.now() - UNSETTLED_SHOWN_FOR, UNREAD)
        around = surroundings(tx, found.rows)
        return Page(found.rows, around, cursor, found.counts, found.ends, unread)


def matching(desk: Desk, wanted: Filter, ids: Iterable[str]) -> list[str]:
    """Those of `ids` that match."""
    with desk.db.read() as tx:
        return feed.matching(tx, wanted, desk.now(), ids)


def all_of(desk: Desk, wanted: Filter, states: Iterable[State], limit: int) -> list[str]:
    """What stands on the feed, matches, and is in one of `states`: ids."""
    with desk.db.read() as tx:
        return _reader(desk, tx, wanted).ids(states, limit)


def _reader(desk: Desk, tx: Tx, wanted: Filter) -> feed.Reader:
    now = desk.now()
    since = feed.Since(unsettled=now - UNSETTLED_SHOWN_FOR, ended=now - ENDED_SHOWN_FOR)
    return feed.Reader(tx, wanted, since, now)


def rows(desk: Desk, ids: Iterable[str]) -> tuple[dict[str, Action], Surroundings]:
    """Those of `ids` that exist, by id, and what they refer to."""
    with desk.db.read() as tx:
        found = actions.many(tx, ids)
        return found, surroundings(tx, list(found.values()))


def changes(desk: Desk, cursor: str, limit: int) -> Changes:
    """Events behind `cursor`, the rows they touch and those whose sentences they change.

    Raises Invalid for what is no cursor.
    """
    with desk.db.read() as tx:
        found = events.after(tx, cursor, limit)
        touched = actions.many(tx, {event.action for event in found})
        linked = _linked(tx, touched.values())
        others = {other for one in linked.values() for other in one}
        rows = touched | actions.many(tx, others - touched.keys())
        return Changes(found, rows, surroundings(tx, list(rows.values())), linked)


def latest(desk: Desk) -> str:
    """The cursor behind everything that is visible now."""
    with desk.db.read() as tx:
        return events.latest(tx)


def _linked(tx: Tx, touched: Iterable[Action]) -> dict[str, list[str]]:
    """Rows that speak of a touched one.

    What it waits for and what waits for it, whose cancel would stop it, what it takes back or
    repeats.
    """
    found: dict[str, list[str]] = {}
    rows = list(touched)
    children = feed.around(tx, [one.id for one in rows]).children
    above = dependants.above(tx, [one.id for one in rows if one.depends_on], _LEVELS)
    for one in rows:
        others = (
            *(child.id for child in children.get(one.id, ())),
            *one.depends_on,
            *above.get(one.id, ()),
            *(other for other in (one.compensates, one.again_of) if other),
        )
        found[one.id] = list(dict.fromkeys(others))
    return found


def surroundings(tx: Tx, found: list[Action]) -> Surroundings:
    """What the sentences of these rows need."""
    known = {one.id: one for one in found}
    named = {
        other
        for one in found
        for other in (*one.depends_on, *one.compensated_by, one.compensates, one.again_of)
        if other
    }
    known |= actions.many(tx, named - known.keys())
    names = {person.actor: person.name for person in people.everyone(tx)}
    ids = [one.id for one in found]
    parts = merging.parts(tx, [one.id for one in found if one.merges])
    cancellable = [one.id for one in found if one.cancellable and one.has_dependants]
    stopped = dependants.stopped_with(tx, cancellable, _LEVELS)
    late = attempts.of(tx, ids)
    return Surroundings(known, feed.around(tx, ids), names, late, parts, stopped)
