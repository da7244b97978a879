"""Who digests the events, and how far each has come.

A follower keeps what it makes of the events beside its place, written in one transaction: each
event counts exactly once, whoever follows and however often one of them dies. The events are read
before that, in a transaction that holds nothing up.
"""

from collections.abc import Callable

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.store.engine import Database, Tx
from webapp.store.events import BEGINNING
from webapp.store.reading_schema import follower

Write = Callable[[Tx], None]

_PLACE = select(follower.c.cursor).where(follower.c.name == bindparam("b_name"))
_MOVE = (
    update(follower)
    .where(follower.c.name == bindparam("b_name"), follower.c.cursor == bindparam("b_from"))
    .values(cursor=bindparam("b_to"), moved_at=bindparam("b_at"))
    .returning(follower.c.name)
)


def place(tx: Tx, name: str) -> str:
    """The cursor behind the last event that `name` has digested; the beginning for a new one."""
    return tx.conn.scalar(_PLACE, {"b_name": name}) or BEGINNING


def advance(db: Database, name: str, start: str, end: str, write: Write) -> bool:
    """Write what was made of the events between two cursors. False: another process has."""

    def work(tx: Tx) -> bool:
        if start == BEGINNING and tx.conn.scalar(_PLACE, {"b_name": name}) is None:
            row = {"name": name, "cursor": start, "moved_at": tx.now()}
            tx.conn.execute(insert(follower).values(row))
        moved = {"b_name": name, "b_from": start, "b_to": end, "b_at": tx.now()}
        if tx.conn.execute(_MOVE, moved).first() is None:
            return False
        write(tx)
        tx.may_be_lost()
        return True

    try:
        return db.transact(work)
    except IntegrityError:
        if start != BEGINNING:
            raise
        return False
