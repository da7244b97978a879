"""Fixtures for the whole suite: each is documented where it stands, in `tests/fixtures/`."""

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
