"""What every service works on: one database, its settings, and the policy table as last read."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from webapp.config import Settings
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy, default_policy
from webapp.domain.times import SECOND
from webapp.store import policies
from webapp.store.engine import Database, Tx


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """What was in force at `revision`."""

    revision: int
    rows: dict[str, Policy]
    flagged: frozenset[str]

    def row(self, kind: str) -> Policy:
        """The kind's row; the default where no admin has decided."""
        return self.rows.get(kind) or default_policy(kind)

    @property
    def longest_reservation(self) -> int:
        """By how much a hold of several kinds at once renews reservations, microseconds."""
        kinds = (name for name, kind in KINDS.items() if kind.says("reserves"))
        return max(self.row(name).reservation_seconds for name in kinds) * SECOND


class Desk:
    """The desk of one process. Thread-safe."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self.db = db
        self.settings = settings
        self.zone = ZoneInfo(settings.timezone)
        self._table: PolicyTable | None = None

    def now(self) -> int:
        """The deciding clock, UTC microseconds."""
        return self.db.now()

    def table(self) -> PolicyTable:
        """The policy table, read now."""
        with self.db.read() as tx:
            return self.read_table(tx)

    def read_table(self, tx: Tx) -> PolicyTable:
        """`table` on a connection that is open already."""
        found = policies.read(tx)
        rows = {kind: Policy.model_validate(body) for kind, body in found.bodies.items()}
        self._table = PolicyTable(found.revision, rows, found.flagged)
        return self._table

    def last_table(self) -> PolicyTable:
        """The table as last read: for drafts, whose insert refuses a stale revision."""
        return self._table or self.table()

    def policy(self, kind: str) -> Policy:
        """The row of one kind, read now."""
        return self.table().row(kind)
