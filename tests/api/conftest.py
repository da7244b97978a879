"""A desk with named people and agents, in process, on each database in turn."""

from collections.abc import Callable, Iterator

import pytest

from tests.api.world import World
from tests.fixtures.databases import BACKENDS
from tests.fixtures.reused import postgresql_url, reused_postgresql_url
from webapp.store.engine import Database

__all__ = ["postgresql_url", "reused_postgresql_url", "still", "world"]


@pytest.fixture
def world(database: Database) -> World:
    """A fresh desk: kinds on a window of ten minutes, nothing drafted."""
    return World(database)


@pytest.fixture(scope="module", params=BACKENDS)
def still(request: pytest.FixtureRequest, new_database: Callable[[str], str]) -> Iterator[World]:
    """The same for all tests of a module that change nothing, or don't mind what others did."""
    store = Database(new_database(request.param))
    yield World(store)
    store.close()
