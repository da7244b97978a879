"""Noticing a database that was put back from a backup, or copied. Promise 14.

A worker remembers the newest event that it saw. A database that does not have that event, or that
PostgreSQL serves under another identity than the one it stores, is not the one that was left: it
starts paused, and what was executing in it is of unknown outcome. A worker without a memory (a new
host) finds nothing, nor does one behind a failover: a standby has the same events and identity.
"""

from dataclasses import dataclass

from webapp.services.desk import Desk
from webapp.services.overdue import hold_overdue
from webapp.store import lineage
from webapp.store.engine import Tx
from webapp.store.lineage import Lineage, Newest


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the database stood: which one it was, in which life, and its newest event."""

    identity: str
    life: int
    newest: Newest | None


def look(desk: Desk, known: Mark | None) -> tuple[Mark, bool]:
    """Where it stands now, and whether it was put back since `known`; then all is paused.

    What was due long ago is held first: the end of the pause would count it anew. Raises
    Unavailable.
    """
    server = lineage.server(desk.db)
    with desk.db.read() as tx:
        found = lineage.read(tx)
        lost = _lost(tx, found, server, known)
        fine = found.identity is not None and (server is None or found.server == server)
        if fine and not lost:
            return _mark(tx), False
    if lost:
        hold_overdue(desk)

    def work(tx: Tx) -> tuple[Mark, bool]:
        found = lineage.read(tx)
        lost = _lost(tx, found, server, known)
        life = max(found.life, known.life if known else 0) + 1 if lost else found.life
        lineage.write(tx, server, life)
        if lost:
            lineage.put_back(tx)
        return _mark(tx), lost

    return desk.db.transact(work)


def _lost(tx: Tx, found: Lineage, server: str | None, known: Mark | None) -> bool:
    if found.identity is None:
        return False  # new: no worker has ever started on it
    if server is not None and found.server is not None and server != found.server:
        return True
    if known is None:
        return False
    if known.identity != found.identity or found.life < known.life:
        return True
    if found.life > known.life:
        return False  # another worker has noticed before
    return known.newest is not None and not lineage.knows(tx, known.newest)


def _mark(tx: Tx) -> Mark:
    found = lineage.read(tx)
    return Mark(found.identity or "", found.life, lineage.newest(tx))
