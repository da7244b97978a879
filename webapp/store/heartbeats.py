"""Signs of life of the workers, for health."""

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select, update

from webapp.domain.times import SECOND
from webapp.store.batches import OLDEST_OVERDUE
from webapp.store.engine import NOW, Tx
from webapp.store.running_schema import heartbeat

FORGOTTEN_AFTER = 120 * SECOND
"""A worker that ended without a word is remembered for this long while others live."""

_BEAT = (
    update(heartbeat)
    .where(heartbeat.c.worker == bindparam("b_worker"))
    .values(at=NOW)
    .returning(heartbeat.c.worker)
)


@dataclass(frozen=True, slots=True)
class Health:
    """Ages in microseconds: of the newest worker's beat, and of the oldest overdue row."""

    worker_age: int | None
    overdue: int | None


def beat(tx: Tx, worker: str, slots: int) -> None:
    """`worker` lives."""
    if tx.conn.execute(_BEAT, tx.params({"b_worker": worker})).first() is None:
        values = {"worker": worker, "slots": slots, "at": tx.now()}
        tx.conn.execute(insert(heartbeat).values(values))
    old = delete(heartbeat).where(heartbeat.c.at < NOW - FORGOTTEN_AFTER)
    tx.conn.execute(old, tx.params({}))


def gone(tx: Tx, worker: str) -> None:
    """`worker` has ended in good order."""
    tx.conn.execute(delete(heartbeat).where(heartbeat.c.worker == worker))


def health(tx: Tx) -> Health:
    """How the workers do."""
    now = tx.now()
    newest = tx.conn.scalar(select(heartbeat.c.at).order_by(heartbeat.c.at.desc()).limit(1))
    oldest = tx.conn.scalar(OLDEST_OVERDUE, tx.params({}))
    return Health(
        None if newest is None else now - newest, None if oldest is None else now - oldest
    )
