"""What admins changed beside the policy table: kept for ever, in the change's own transaction."""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import bindparam, insert, select

from webapp.store.engine import Tx
from webapp.store.people_schema import admin_change


class Area(StrEnum):
    """What a change was about: the page that shows it."""

    PEOPLE = "people"
    AGENTS = "agents"
    CUSTOMERS = "customers"
    STOCK = "stock"
    PAUSES = "pauses"


@dataclass(frozen=True, slots=True)
class AdminChange:
    """`did` is said of `subject` ("role: staff, now admin"). Time in UTC microseconds."""

    area: Area
    subject: str
    did: str
    changed_by: str
    changed_at: int


_COLUMNS = [column for column in admin_change.c if column.name not in ("id", "area")]
_LATEST = (
    select(*_COLUMNS)
    .where(admin_change.c.area == bindparam("b_area"))
    .order_by(admin_change.c.id.desc())
    .limit(bindparam("b_limit"))
)


def note(tx: Tx, area: Area, subject: str, did: str, by: str) -> None:
    """Keep one change."""
    values = {"area": area, "subject": subject, "did": did, "changed_by": by}
    tx.conn.execute(insert(admin_change).values(**values, changed_at=tx.now()))


def latest(tx: Tx, area: Area, limit: int) -> list[AdminChange]:
    """The latest changes of one area, newest first."""
    found = tx.conn.execute(_LATEST, {"b_area": area, "b_limit": limit})
    return [AdminChange(area, *row) for row in found]
