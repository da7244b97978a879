"""A worker keeps the retention by itself."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from tests.fixtures.desk import wait_until
from tests.worker.stage import Recorder, get, make_desk, plant, row, until, working
from webapp.domain.states import State
from webapp.services import prune
from webapp.store.engine import Database, Tx
from webapp.store.schema import action, desk
from webapp.worker import worker


def test_what_ended_long_ago_is_emptied_beside_the_work(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PRUNE_SECONDS", 0.2)
    here = make_desk(database, retention_days=2)
    old, young = plant(database, *(row(database.now(), window=0) for _ in range(2)))
    with working(here, Recorder()):
        for one in (old, young):
            until(database, one, State.EXECUTED)
        assert get(database, old).pruned_at is None
        database.transact(_long_ago(old))
        wait_until(lambda: get(database, old).pruned)
    assert get(database, old).payload == {}
    assert get(database, young).payload != {}


def _long_ago(one: str) -> Callable[[Tx], None]:
    """It ended then, and the mark has not come there yet."""
    then = update(action).values(finished_at=action.c.finished_at - 3 * prune.DAY)

    def work(tx: Tx) -> None:
        tx.conn.execute(then.where(action.c.id == one))
        tx.conn.execute(update(desk).values(pruned_until=0))

    return work
