"""A pause holds on every worker, from its next claim on. Issue 3, 8."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.fixtures.desk import wait_until
from tests.worker.stage import AGENT, Recorder, get, make_desk, plant, row, timeline, working
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import pause
from webapp.services.caller import Caller
from webapp.store import agents
from webapp.store.engine import Database
from webapp.store.running_schema import heartbeat

ASKED = Caller.command()
SCOPES: dict[str, dict[str, Any]] = {
    "everything": {},
    "one agent": {"agent": AGENT},
    "one kind": {"kind": "refund"},
    "one kind of one agent": {"agent": AGENT, "kind": "refund"},
}


def workers(db: Database) -> int:
    with db.read() as tx:
        return len(tx.conn.scalars(select(heartbeat.c.worker)).all())


@pytest.mark.parametrize("scope", SCOPES)
def test_every_worker_obeys_until_it_ends(
    database: Database, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Global, per agent and per kind; two workers with connections of their own."""
    monkeypatch.setattr(agents, "names", lambda _tx: {AGENT})
    desk, connector = make_desk(database), Recorder()
    other = Database(database.url.render_as_string(hide_password=False))
    standing = pause.pause(desk, ASKED, reason="look", **SCOPES[scope])
    due = [row(database.now() - SECOND + n, window=0) for n in range(20)]
    free = row(database.now(), kind="label", agent="somebody", drafted_by="agent:somebody")
    with working(desk, connector), working(make_desk(other), connector):
        ids = plant(database, *due)
        (beside,) = plant(database, free)
        wait_until(lambda: workers(database) == 2)
        if SCOPES[scope]:
            wait_until(lambda: get(database, beside).state is State.EXECUTED)
        else:
            ids.append(beside)
        assert {get(database, one).state for one in ids} == {State.SCHEDULED}
        resumed = database.now()
        pause.unpause(desk, ASKED, standing.id)
        wait_until(lambda: {get(database, one).state for one in ids} == {State.EXECUTED})
    other.close()
    assert sorted(connector.ids) == sorted({*ids, beside})
    claims = [
        event.at for one in ids for event in timeline(database, one) if event.verb == "claimed"
    ]
    assert len(claims) == len(ids)
    assert min(claims) >= resumed
