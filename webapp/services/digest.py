"""Making something of the events for whoever reads later: counts, what a search finds.

Drafting and executing write rows and events alone. What costs more than that is made of the
events afterwards, by whichever worker comes first, a piece at a time.
"""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Protocol

from webapp.services.desk import Desk
from webapp.store import events, followers
from webapp.store.engine import Tx
from webapp.store.events import Event
from webapp.store.followers import Write

PIECE = 100
"""Events that one transaction takes at most: whoever waits to write waits for its end on SQLite."""
MOST_SECONDS = 1.0
"""After which the others of this worker's rounds have their turn."""


class Follower(Protocol):
    """Who makes something of the events, each exactly once and in order."""

    @property
    def name(self) -> str:
        """What its place is kept under, for ever."""

    def digest(self, tx: Tx, found: Sequence[Event]) -> Write:
        """Read what `found` needs; answers what is to be written, in another transaction."""


def digest(
    desk: Desk,
    those: Iterable[Follower],
    seconds: float = MOST_SECONDS,
    room: Callable[[], int] = lambda: PIECE,
) -> bool:
    """One round for each of them. False: there is more. Raises Unavailable.

    `room` is called before each transaction and answers how many events it may take.
    """
    until = monotonic() + seconds
    done = True
    for one in those:
        while more := _piece(desk, one, room()):
            if monotonic() > until:
                break
        done = done and not more
    return done


def behind(desk: Desk, name: str) -> bool:
    """Whether there are events that `name` has not digested yet."""
    with desk.db.read() as tx:
        return bool(events.after(tx, followers.place(tx, name), 1))


def _piece(desk: Desk, one: Follower, size: int) -> bool:
    """Whether there is probably another."""
    with desk.db.read() as tx:
        start = followers.place(tx, one.name)
        found = events.after(tx, start, size)
        if not found:
            return False
        write = one.digest(tx, found)
    moved = followers.advance(desk.db, one.name, start, found[-1].cursor, write)
    # Who finds another process at it leaves it to that one.
    return moved and len(found) == size
