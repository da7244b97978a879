"""Statements that go to the driver past SQLAlchemy behave as if they had not."""

import pytest
from sqlalchemy import insert, literal_column, select, text
from sqlalchemy.exc import IntegrityError

from tests.store.rows import put, states
from webapp.store.engine import Database, Tx
from webapp.store.hot import Hot
from webapp.store.schema import desk

_WRONG = Hot(insert(desk).values(id=2, revision=1).inline())
_ROWS = Hot(
    select(literal_column("1").label("one"), literal_column("'two'").label("two")).union_all(
        select(literal_column("3"), literal_column("'four'"))
    )
)


def test_rows_have_their_columns_names(database: Database) -> None:
    """As SQLAlchemy's rows: tuples, with names."""
    with database.read() as tx:
        rows = _ROWS.all(tx, {})
    assert [tuple(row) for row in rows] == [(1, "two"), (3, "four")]
    assert [row.two for row in rows] == ["two", "four"]


def test_an_error_is_one_of_sqlalchemy_and_undoes_the_rest(database: Database) -> None:
    """Whoever catches SQLAlchemy's errors catches these; what the transaction had done is gone."""

    def work(tx: Tx) -> None:
        tx.conn.execute(text("UPDATE desk SET revision = revision + 7"))
        _WRONG.go(tx, {})

    with database.read() as tx:
        before = tx.conn.scalar(select(desk.c.revision))
    with pytest.raises(IntegrityError) as refused:
        database.transact(work)
    assert not refused.value.connection_invalidated
    with database.read() as tx:
        assert tx.conn.scalar(select(desk.c.revision)) == before


def test_a_connection_that_is_lost_is_replaced(postgresql_url: str) -> None:
    """Promise 11: the transaction runs again on another, and the caller does not notice."""
    db = Database(postgresql_url)
    one = put(db)
    killed: list[int] = []

    def work(tx: Tx) -> int:
        if not killed:
            killed.append(tx.conn.scalar(text("SELECT pg_backend_pid()")) or 0)
            with db.connection() as other:
                other.execute(text(f"SELECT pg_terminate_backend({killed[0]}, 5000)"))
        return int(_ROWS.all(tx, {})[0].one)

    assert db.transact(work) == 1
    assert killed
    assert states(db, one) == ["scheduled"]
    db.close()
