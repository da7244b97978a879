"""What waits for a decision: the queue as people see it, and the end of what nobody decides on."""

from dataclasses import dataclass

from webapp.domain.action import Action
from webapp.services.desk import Desk
from webapp.services.screen import Surroundings, surroundings
from webapp.store import approvals, events
from webapp.store.engine import Tx

ROWS = 100
"""Of the queue on one page, and decided on by one press."""
COUNTED = 1_000
"""Beyond it the exact number says nothing."""
AT_ONCE = 100
"""Ended in one round."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The longest waiting first; `waiting` of them in all, counted up to COUNTED."""

    rows: list[Action]
    around: Surroundings
    waiting: int
    cursor: str
    """From which a socket goes on: read first, so that no event is missed."""


def queue(desk: Desk) -> Queue:
    """What waits now."""
    with desk.db.read() as tx:
        cursor = events.latest(tx)
        rows = approvals.oldest(tx, ROWS)
        return Queue(rows, surroundings(tx, rows), approvals.count(tx, COUNTED), cursor)


def waiting(desk: Desk) -> int:
    """How many wait, counted up to COUNTED."""
    with desk.db.read() as tx:
        return approvals.count(tx, COUNTED)


def expire_approvals(desk: Desk) -> list[str]:
    """Reject what nobody decided on in its time; the ids of those rejected."""
    with desk.db.read() as tx:
        over = approvals.expired(tx, AT_ONCE)
    return [one for one, waited in over if _expire(desk, one, waited)]


def _expire(desk: Desk, action_id: str, waited: int) -> bool:
    def work(tx: Tx) -> bool:
        return approvals.expire(tx, action_id, waited) is not None

    return desk.db.transact(work)
