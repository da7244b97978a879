"""A round of the retention that fails leaves nothing behind: no half of it, and no slow writer."""

from collections.abc import Sequence

import pytest
from sqlalchemy import update

from tests.services.people import ANA, drafted
from webapp.services import prune, read
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.store.engine import Tx
from webapp.store.schema import action


def test_a_round_that_fails_takes_nothing_away_and_slows_nobody(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite overwrites what is emptied by this connection, until it is told not to."""
    made = drafted(desk)
    cancel(desk, made.id, ANA)
    back = (desk.settings.retention_days + 1) * prune.DAY
    ended = update(action).values(finished_at=action.c.finished_at - back)
    desk.db.transact(lambda tx: tx.conn.execute(ended))

    def fails(_tx: Tx, ids: Sequence[str]) -> None:
        assert list(ids) == [made.id]
        raise RuntimeError("planted")

    monkeypatch.setattr(prune, "FORGETTING", (fails,))
    with pytest.raises(RuntimeError, match="planted"):
        prune.prune(desk)
    assert read.get(desk, made.id, ANA).payload == made.payload
    if desk.db.dialect == "sqlite":
        assert desk.db.transact(_overwrites) == 0
    monkeypatch.undo()
    assert prune.prune(desk) == 1
    assert read.get(desk, made.id, ANA).payload == {}
    if desk.db.dialect == "sqlite":
        assert desk.db.transact(_overwrites) == 0


def _overwrites(tx: Tx) -> int:
    return int(tx.run("PRAGMA secure_delete").fetchone()[0])
