"""Whether the desk does its work, in words an operator can act on."""

from dataclasses import dataclass

from webapp.domain.errors import Unavailable
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import counts, heartbeats, migrate
from webapp.store.counts import Counts

WORKER_AGE_AT_MOST = 15 * SECOND
OVERDUE_AT_MOST = 30 * SECOND


@dataclass(frozen=True, slots=True)
class Health:
    """`problems` is empty when all is well; ages in microseconds, None where there is none."""

    problems: dict[str, str]
    worker_age: int | None = None
    overdue: int | None = None


def health(desk: Desk) -> Health:
    """Database, migrations, the workers' sign of life, and the oldest overdue row."""
    try:
        there = migrate.version(desk.db)
        if there != migrate.wanted():
            said = f"The database is at {there or 'no version'}: run undo-desk migrate."
            return Health({"migrations": said})
        with desk.db.read() as tx:
            found = heartbeats.health(tx)
    except Unavailable as problem:
        return Health({"database": problem.detail})
    problems = {}
    if found.worker_age is None:
        problems["worker"] = "No worker has given a sign of life."
    elif found.worker_age > WORKER_AGE_AT_MOST:
        problems["worker"] = f"No worker for {found.worker_age // SECOND} s."
    if found.overdue is not None and found.overdue > OVERDUE_AT_MOST:
        problems["overdue"] = f"The oldest due action waits for {found.overdue // SECOND} s."
    return Health(problems, found.worker_age, found.overdue)


def figures(desk: Desk) -> Counts:
    """Actions by state and kind. Raises Unavailable."""
    with desk.db.read() as tx:
        return counts.counts(tx)
