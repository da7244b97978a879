"""What a screen shows: rows of the feed with all that their sentences need, read at once."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from webapp.domain.action import Action
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import actions, attempts, events, feed, merging, people
from webapp.store.attempts import Late
from webapp.store.engine import Tx
from webapp.store.feed import Around
from webapp.store.merging import Part

ROWS = 200
ENDED_SHOWN_FOR = 15 * 60 * SECOND
"""How long a row that ended stays on the feed."""
UNSETTLED_SHOWN_FOR = 7 * 24 * 3600 * SECOND
"""How long one stays that ended in a way somebody should look at."""


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

    def name(self, actor: str) -> str:
        """How a page calls whoever acted: a person's name where it is known."""
        known = self.names.get(actor)
        return known or actor.partition(":")[2] or {"policy": "the policy"}.get(actor, actor)


def page(desk: Desk) -> tuple[list[Action], Surroundings, str]:
    """The feed's rows, what they refer to, and the cursor from which a socket goes on.

    The cursor is read first: an event after it may be shown twice, none can be missed.
    """
    now = desk.now()
    with desk.db.read() as tx:
        cursor = events.latest(tx)
        rows = feed.page(
            tx,
            limit=ROWS,
            unsettled_since=now - UNSETTLED_SHOWN_FOR,
            ended_since=now - ENDED_SHOWN_FOR,
        )
        return rows, _surroundings(tx, rows), cursor


def rows(desk: Desk, ids: Iterable[str]) -> tuple[dict[str, Action], Surroundings]:
    """Those of `ids` that exist, by id, and what they refer to."""
    with desk.db.read() as tx:
        found = actions.many(tx, ids)
        return found, _surroundings(tx, list(found.values()))


def changes(
    desk: Desk, cursor: str, limit: int
) -> tuple[list[events.Event], dict[str, Action], Surroundings]:
    """Events behind `cursor`, the rows they touch and those whose sentences they change.

    Raises Invalid for what is no cursor.
    """
    with desk.db.read() as tx:
        found = events.after(tx, cursor, limit)
        touched = actions.many(tx, {event.action for event in found})
        linked = _linked(touched.values(), feed.around(tx, touched))
        rows = touched | actions.many(tx, linked - touched.keys())
        return found, rows, _surroundings(tx, list(rows.values()))


def latest(desk: Desk) -> str:
    """The cursor behind everything that is visible now."""
    with desk.db.read() as tx:
        return events.latest(tx)


def _linked(touched: Iterable[Action], around: Around) -> set[str]:
    """Rows that speak of a touched one: parents, children, what it takes back or repeats."""
    found: set[str] = set()
    for one in touched:
        found.update(child.id for child in around.children.get(one.id, ()))
        found.update(one.depends_on)
        found.update(other for other in (one.compensates, one.again_of) if other)
    return found


def _surroundings(tx: Tx, found: list[Action]) -> Surroundings:
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
    return Surroundings(known, feed.around(tx, ids), names, attempts.of(tx, ids), parts)
