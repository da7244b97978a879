"""What the retention promises: personal data of what ended long ago goes, piece by piece.

Promise 15: what decided an action's fate stays readable on its page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import pruning, search
from webapp.store.engine import Tx
from webapp.store.pruning import Reach

DAY = 86_400 * SECOND
PIECE = 50
"""Rows emptied in one transaction: it must be over before anybody waits for it."""
MOST_SECONDS = 1.0
"""After which this round leaves the rest to the next."""
_STEP = 3_600 * SECOND
"""By at least so much the mark is moved where there was nothing to do."""

FORGETTING: tuple[Callable[[Tx, Sequence[str]], None], ...] = (search.forget,)
"""Who else keeps texts of actions, by id: told in the same transaction."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How far it is. `before`: what ended earlier is to be without personal data now."""

    before: int
    reach: Reach

    @property
    def behind(self) -> int:
        """For how long the oldest that waits has waited, microseconds."""
        return 0 if self.reach.waits is None else self.before - self.reach.waits


def retention(desk: Desk) -> Retention:
    """How far it is now."""
    with desk.db.read() as tx:
        before = _before(desk, tx)
        return Retention(before, pruning.reach(tx, before))


def prune(desk: Desk, seconds: float = MOST_SECONDS) -> int:
    """One round; how many actions it emptied. Raises Unavailable."""
    until, emptied = monotonic() + seconds, 0
    while _due(desk):
        done, more = desk.db.transact(lambda tx: _piece(desk, tx))
        emptied += done
        if not more or monotonic() > until:
            break
    return emptied


def _due(desk: Desk) -> bool:
    """Whether a write is worth it: asked first, so that an idle round takes no lock."""
    now = retention(desk)
    if now.reach.waits is not None or now.before - now.reach.until > _STEP:
        return True
    with desk.db.read() as tx:
        return bool(pruning.signals(tx, now.before, 1))


def _piece(desk: Desk, tx: Tx) -> tuple[int, bool]:
    """How many actions were emptied, and whether there may be more to do."""
    with pruning.turn(tx):
        before = _before(desk, tx)
        rows = pruning.next_rows(tx, before, PIECE)
        pruning.empty(tx, rows)
        for forget in FORGETTING:
            forget(tx, [row.id for row in rows])
        keys = pruning.signals(tx, before, PIECE)
        pruning.empty_signals(tx, keys)
        full = len(rows) == PIECE
        pruning.reached(tx, rows[-1].finished_at if full else before)
    return len(rows), full or len(keys) == PIECE


def _before(desk: Desk, tx: Tx) -> int:
    return max(0, tx.now() - desk.settings.retention_days * DAY)
