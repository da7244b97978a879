"""A worker that starts after a downtime: promise 14, end to end."""

import pytest

from tests.worker.stage import Recorder, make_desk, plant, row, taken, timeline, until, working
from webapp.connectors.base import Effect, EffectRequest
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store.engine import Database
from webapp.worker import worker


def test_after_a_downtime_what_is_too_old_is_held_and_the_rest_runs(database: Database) -> None:
    """Promise 14. The worker was away for two hours; two actions were due meanwhile."""
    now = database.now()
    old = row(now - 7_200 * SECOND)
    late = row(now - 1_800 * SECOND)
    plant(database, old, late)
    with working(make_desk(database), connector := Recorder()):
        until(database, late["id"], State.EXECUTED)
        held = until(database, old["id"], State.HELD)
    assert connector.ids == [late["id"]]
    assert held.state_by == "policy"
    assert held.state_reason == "was due for 2 h 0 min without being run"
    assert [event.verb for event in timeline(database, old["id"])] == ["held"]


def test_it_is_held_before_the_first_claim(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no claim has to look past a downtime's worth of rows."""
    order: list[str] = []

    def noted(_desk: Desk) -> int:
        order.append("held")
        return 0

    def answer(request: EffectRequest) -> Effect:
        order.append("sent")
        return taken(request)

    monkeypatch.setattr(worker, "hold_overdue", noted)
    (one,) = plant(database, row(database.now() - 60 * SECOND))
    with working(make_desk(database, sweep_seconds=60), Recorder(answer)):
        until(database, one, State.EXECUTED)
    assert order == ["held", "sent"]


def test_what_becomes_too_old_while_workers_live_is_held_by_the_sweep(database: Database) -> None:
    """A slow connector fills every thread: what waits behind it is not fired hours later."""
    with working(make_desk(database), connector := Recorder()):
        (one,) = plant(database, row(database.now() - 60 * SECOND, overdue_after=SECOND))
        until(database, one, State.HELD)
    assert connector.ids == []
