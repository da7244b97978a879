"""Taking turns: who names the same thing waits until the other's transaction has ended."""

from sqlalchemy import BigInteger, bindparam, func, select

from webapp.domain.drafts import fingerprint
from webapp.store.engine import Tx

_LOCK_POSTGRESQL = select(func.pg_advisory_xact_lock(bindparam("b_lock", type_=BigInteger())))


def take_turns(tx: Tx, *names: str) -> None:
    """Wait for whoever named one of `names`, until the end of this transaction.

    Everybody asks in one order: key, scope, agent, order; and before any row is locked.
    """
    if tx.dialect != "postgresql":
        return  # Differs because SQLite has one writer at a time.
    for name in names:
        number = int.from_bytes(bytes.fromhex(fingerprint(name))[:8], signed=True)
        tx.conn.execute(_LOCK_POSTGRESQL, {"b_lock": number})
