"""Following events by a cursor that can always be used again."""

from dataclasses import dataclass

from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store import events
from webapp.store.events import Event, parse_cursor


@dataclass(frozen=True, slots=True)
class Followed:
    """Events in order, and the cursor behind them."""

    events: list[Event]
    cursor: str


def follow(desk: Desk, caller: Caller, cursor: str, limit: int) -> Followed:
    """Up to `limit` events behind `cursor`; an agent sees only its own. Raises Invalid.

    The cursor also moves past events of others, so that an agent whose own are rare does not
    read all the others' again with each call: what was visible before the look is either found
    by it or not the caller's.
    """
    parse_cursor(cursor)
    with desk.db.read() as tx:
        before = events.latest(tx)
        found = events.after(tx, cursor, limit, agent=caller.owner)
    known = [cursor, *(event.cursor for event in found[-1:])]
    if len(found) < limit:
        known.append(before)
    return Followed(found, max(known, key=parse_cursor))
