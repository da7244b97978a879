"""A desk with named people and agents, in process, on each database in turn."""

from collections.abc import Iterator

import pytest

from tests.api.world import World
from webapp.store.engine import Database


@pytest.fixture
def world(database: Database) -> Iterator[World]:
    """A fresh desk: kinds on a window of ten minutes, nothing drafted."""
    yield World(database)
