"""The desk of the API's tests, for its pages."""

import pytest

from tests.api.world import World
from tests.fixtures.reused import postgresql_url, reused_postgresql_url
from webapp.store.engine import Database

__all__ = ["postgresql_url", "reused_postgresql_url", "world"]


@pytest.fixture
def world(database: Database) -> World:
    """A fresh desk on each database in turn: kinds on a window of ten minutes."""
    return World(database)
