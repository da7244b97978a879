"""The desk of the API's tests, for its pages."""

import pytest

from tests.api.world import World
from webapp.store.engine import Database


@pytest.fixture
def world(database: Database) -> World:
    """A fresh desk on each database in turn: kinds on a window of ten minutes."""
    return World(database)
