"""A desk without a process: the services on a migrated database, every kind on a window."""

import pytest

from tests.fixtures.reused import postgresql_url, reused_postgresql_url
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store import policies
from webapp.store.engine import Database, Tx

__all__ = ["desk", "postgresql_url", "reused_postgresql_url"]


@pytest.fixture
def desk(database: Database) -> Desk:
    """Kinds run after a window of five minutes; nothing is flagged, nothing in stock."""

    def work(tx: Tx) -> None:
        for kind in ("refund", "label", "reply", "exchange", "webhook"):
            policies.write(tx, kind, {"mode": "window"}, "staff:admin@example.com")

    database.transact(work)
    return Desk(database, Settings(secret_key="k" * 32))
