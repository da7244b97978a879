"""First views: which version was on whose screen, and when."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.store.rows import ANA, GONE, put, row
from webapp.domain.times import SECOND
from webapp.store import people, transitions, views
from webapp.store.engine import Database
from webapp.store.schema import view


@pytest.fixture
def persons(database: Database) -> tuple[int, int]:
    """Ana and Ben."""
    for name in ("ana", "ben"):
        database.transact(
            lambda tx, name=name: people.add(  # type: ignore[misc]
                tx, email=f"{name}@example.com", name=name, role="staff", password_hash="x"
            )
        )
    with database.read() as tx:
        ana, ben = people.everyone(tx)
    return ana.id, ben.id


def seen(db: Database) -> list[Any]:
    with db.read() as tx:
        columns = (view.c.action, view.c.person_id, view.c.version)
        return [tuple(found) for found in tx.conn.execute(select(*columns).order_by(*columns))]


def record(db: Database, person: int, *pairs: tuple[str, int]) -> None:
    db.transact(lambda tx: views.record(tx, person, pairs))


def test_the_first_view_is_kept(database: Database, persons: tuple[int, int]) -> None:
    """CASES preloop/preloop#510: time to first view is measured."""
    ana, ben = persons
    one = put(database)
    assert row(database, one).first_viewed_at is None
    record(database, ana, (one, 1))
    first = row(database, one)
    assert first.first_viewed_at is not None
    record(database, ben, (one, 1))
    record(database, ana, (one, 1))
    assert row(database, one) == first, "a view moves nothing, not even the version"
    assert seen(database) == [(one, ana, 1), (one, ben, 1)]


def test_each_version_is_seen_for_itself(database: Database, persons: tuple[int, int]) -> None:
    """Promise 13: seen means this version."""
    ana, _ = persons
    one = put(database, due=60 * SECOND)
    record(database, ana, (one, 1))
    database.transact(lambda tx: transitions.extend(tx, one, ANA, SECOND, 0))
    record(database, ana, (one, 2))
    assert seen(database) == [(one, ana, 1), (one, ana, 2)]


@pytest.mark.parametrize("version", [2, 99, 0, -1, 2**31, 2**70])
def test_a_version_that_the_row_never_had_was_not_seen(
    database: Database, persons: tuple[int, int], version: int
) -> None:
    """Unknown ones are passed over, and leave no trace on the row."""
    one = put(database)
    record(database, persons[0], (one, version), (GONE, 1))
    assert seen(database) == []
    assert row(database, one).first_viewed_at is None
