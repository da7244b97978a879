"""Fixtures for the whole suite: each is documented where it stands, in `tests/fixtures/`."""

pytest_plugins = [
    "tests.fixtures.network",
    "tests.fixtures.databases",
    "tests.fixtures.desk",
    "tests.fixtures.browser",
]
