"""The race self-test: on the installation's database, without a trace, and not blind."""

import pytest
from sqlalchemy import func, inspect, select

from tests.races.test_cancel_against_claim import drop_the_state_guard
from webapp.domain.errors import Unavailable
from webapp.services import self_test
from webapp.services.desk import Desk
from webapp.store import schema, transitions
from webapp.store.scratch import SCHEMA, scratch
from webapp.store.self_tests import Ended

LONG = 60.0
"""Seconds, for a busy machine."""


def run(desk: Desk, trials: int = 100) -> Ended:
    *_, end = self_test.run(desk, "staff:ida@example.com", trials=trials, seconds=LONG)
    assert end.ended is not None
    return end.ended


def test_both_sides_win_and_nothing_is_wrong(desk: Desk) -> None:
    ended = run(desk)
    assert (ended.faults, ended.fault) == (0, None)
    assert ended.trials == 100
    assert ended.cancelled + ended.executed == 100
    assert ended.passed
    assert self_test.last(desk) == ended


def test_no_row_of_it_reaches_the_desk(desk: Desk) -> None:
    run(desk, 25)
    with desk.db.read() as tx:
        for table in (schema.action, schema.event, schema.view):
            assert tx.conn.scalar(select(func.count()).select_from(table)) == 0
    with desk.db.connection() as conn:
        if desk.db.dialect == "postgresql":
            assert SCHEMA not in inspect(conn).get_schema_names()


def test_it_says_how_far_it_is_and_stops_in_time(desk: Desk) -> None:
    steps = list(self_test.run(desk, "staff:ida@example.com", trials=75, seconds=LONG))
    assert [step.done for step in steps] == [0, 25, 50, 75, 75]
    *_, end = self_test.run(desk, "staff:ida@example.com", trials=75, seconds=0)
    assert end.ended is not None
    assert end.ended.trials == 0
    assert not end.ended.passed


def test_a_cancel_without_its_state_guard_is_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transitions, "_CANCEL", transitions._CANCEL)  # put back afterwards
    drop_the_state_guard()
    ended = run(desk, 200)
    assert ended.faults > 0
    assert ended.fault is not None
    assert not ended.passed


def test_two_do_not_run_at_once(desk: Desk) -> None:
    with scratch(desk.db), pytest.raises(Unavailable, match="Another self-test"):
        run(desk, 25)


def test_what_stops_one_side_is_said_and_leaves_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full.")

    monkeypatch.setattr("webapp.services.self_test.cancel", refuse)
    with pytest.raises(Unavailable, match="The disk is full"):
        run(desk, 25)
    assert self_test.last(desk) is None
    with scratch(desk.db):  # free again
        pass
