"""Which database this is, and whether it has lost what was once written to it. Promise 14."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import bindparam, func, select, text, update
from sqlalchemy.exc import DBAPIError

from webapp.domain.states import State
from webapp.store import pauses
from webapp.store.arrow import record_many
from webapp.store.batches import FIRST_LOOK
from webapp.store.engine import NOW, Database, Tx
from webapp.store.schema import action, desk, event


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a database says of itself. All but `life` are None until a worker first started.

    `life` counts how often it was found to have been put back; `server` is PostgreSQL's system
    identifier and the database's number there: the same on a standby, other in any copy.
    """

    identity: str | None
    server: str | None
    life: int


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest event; time in UTC microseconds."""

    event: int
    at: int


PUT_BACK = "the database was put back from a backup or copied"
"""The reason of the pause, by which pages know it."""
PUT_BACK_BY = "policy"

# Locked: of several workers that start, one notes it, and the others read what it noted.
_READ = select(desk.c.identity, desk.c.server, desk.c.life).with_for_update()
_NEWEST = select(event.c.id, event.c.at).order_by(event.c.id.desc()).limit(1)
_AT = select(event.c.at).where(event.c.id == bindparam("b_id"))
_SERVER = text(
    "SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || oid::text "
    "FROM pg_database WHERE datname = current_database()"
)
_WRITE = update(desk).values(
    identity=func.coalesce(desk.c.identity, bindparam("b_identity")),
    server=func.coalesce(bindparam("b_server"), desk.c.server),
    life=bindparam("b_life"),
)
_LOST = (
    update(action)
    .where(action.c.state == State.EXECUTING)
    .values(
        state=State.UNKNOWN,
        previous_state=action.c.state,
        version=action.c.version + 1,
        lease_until=None,
        look_at=NOW + FIRST_LOOK,
        error=bindparam("b_error"),
        state_by=PUT_BACK_BY,
        state_reason=PUT_BACK,
    )
    .returning(action.c.id, action.c.kind, action.c.state, action.c.previous_state)
)


def name(db: Database) -> str:
    """A name for the place where the database lies: no path, no password."""
    url = db.url
    if db.dialect == "sqlite":
        where = str(Path(url.database or "").resolve())
    else:
        where = f"{url.host or url.query.get('host')}:{url.port or 5432}/{url.database}"
    return hashlib.sha256(where.encode()).hexdigest()[:16]


def server(db: Database) -> str | None:
    """What PostgreSQL calls itself; None on SQLite, and where it does not say."""
    if db.dialect == "sqlite":
        return None
    try:
        with db.connection() as conn:
            return str(conn.scalar(_SERVER))
    except DBAPIError:  # a hosted PostgreSQL may forbid the question
        return None


def read(tx: Tx) -> Lineage:
    """Locked until the end of the transaction."""
    return Lineage(*tx.conn.execute(_READ).one())


def newest(tx: Tx) -> Newest | None:
    """None where nothing has happened yet."""
    row = tx.conn.execute(_NEWEST).first()
    return None if row is None else Newest(row.id, row.at)


def knows(tx: Tx, marked: Newest) -> bool:
    """Whether that very event is there: its number alone may have been given anew."""
    return tx.conn.scalar(_AT, {"b_id": marked.event}) == marked.at


def write(tx: Tx, server: str | None, life: int) -> None:
    """Note the server and the life; a database without a name gets one."""
    params = {"b_identity": secrets.token_hex(8), "b_server": server, "b_life": life}
    tx.conn.execute(_WRITE, params)


def put_back(tx: Tx) -> list[str]:
    """Pause everything; executing -> unknown for every row: the ids.

    Nobody knows how those ended: their workers wrote it into the database that is gone.
    """
    if not any(one.reason == PUT_BACK for one in pauses.standing(tx)):
        pauses.add(tx, agent=None, kind=None, reason=PUT_BACK, by=PUT_BACK_BY)
    message = f"{PUT_BACK} while it ran"
    error = {"message": message, "permanent": False, "may_have_happened": True, "detail": {}}
    rows = tx.conn.execute(_LOST, tx.params({"b_error": json.dumps(error)})).all()
    if rows:
        data = json.dumps({"error": message})
        record_many(tx, ((row, "unknown", data) for row in rows), PUT_BACK_BY)
    return [row.id for row in rows]
