"""Fixtures for the whole suite: each is documented where it stands, in `tests/fixtures/`."""

import pytest
from hypothesis import settings

pytest_plugins = [
    "tests.fixtures.network",
    "tests.fixtures.databases",
    "tests.fixtures.desk",
    "tests.fixtures.browser",
]

# A busy machine makes one example slow now and then, which is no finding.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

LONGEST = ("crash", "races", "machine", "worker", "browser", "packaging", "failpoints", "cli")
"""Folders whose files take longest: begun first, so that both processes end at the same time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order within a folder stays."""

    def rank(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)

    items.sort(key=rank)
