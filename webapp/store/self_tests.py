"""How the self-tests of this installation ended."""

from dataclasses import dataclass

from sqlalchemy import insert, select

from webapp.store.engine import Tx
from webapp.store.running_schema import self_test


@dataclass(frozen=True, slots=True)
class Ended:
    """One of them. Times in microseconds."""

    tested_at: int
    tested_by: str
    trials: int
    cancelled: int
    executed: int
    faults: int
    fault: str | None
    """What was wrong with the first."""
    took: int

    @property
    def passed(self) -> bool:
        """No fault, and each side has won: a race that one side always wins tests nothing."""
        return not self.faults and self.cancelled > 0 and self.executed > 0


_FIELDS = tuple(self_test.c[name] for name in Ended.__slots__)
_LAST = select(*_FIELDS).order_by(self_test.c.id.desc()).limit(1)


def keep(tx: Tx, ended: Ended) -> None:
    """Kept beside the earlier ones."""
    values = {name: getattr(ended, name) for name in Ended.__slots__}
    tx.conn.execute(insert(self_test).values(values))


def last(tx: Tx) -> Ended | None:
    """The newest."""
    row = tx.conn.execute(_LAST).first()
    return None if row is None else Ended(*row)
