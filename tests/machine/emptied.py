"""Emptying one database thousands of times: a new one costs more than a whole history."""

from sqlalchemy import Connection, delete, insert

from webapp.store.engine import Database, Tx
from webapp.store.schema import desk
from webapp.store.tables import TABLES

_GUARDS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_delete'"


def empty(db: Database) -> None:
    """As after the migrations. That events and changes are for ever is not under test here."""
    db.transact(_empty)


def _empty(tx: Tx) -> None:
    conn = tx.conn
    if tx.dialect == "postgresql":
        conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
        _delete(conn)
    else:
        guards = conn.exec_driver_sql(_GUARDS).all()
        for guard in guards:
            conn.exec_driver_sql(f"DROP TRIGGER {guard.name}")
        _delete(conn)
        for guard in guards:
            conn.exec_driver_sql(guard.sql)
    conn.execute(insert(desk).values(id=1, revision=1))


def _delete(conn: Connection) -> None:
    for table in reversed(TABLES.sorted_tables):
        conn.execute(delete(table))
