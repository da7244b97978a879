"""Promise 1: cancel against claim, exactly one wins, and every answer equals the row.

Cases: buttondown/roadmap#3601, triggerdotdev/trigger.dev#1981, dbos-inc/dbos-transact-py#767,
snapotter-hq/SnapOtter#889.
"""

from pathlib import Path

import pytest

from tests.races.arena import race
from webapp.domain.states import CANCELLABLE, State
from webapp.store import transitions
from webapp.store.arrow import Arrow, asked, param
from webapp.store.engine import NOW

TRIALS = 10_000
LEAST = 0.10
"""A race that one side always wins tests nothing."""


def test_exactly_one_wins_10_000_times(database_url: str, tmp_path: Path) -> None:
    tally = race(database_url, TRIALS, tmp_path)
    assert tally.faults == []
    assert tally.cancelled + tally.executed == TRIALS
    assert tally.least >= LEAST


@pytest.mark.parametrize("trials", [300])
def test_a_cancel_without_its_state_guard_is_caught(
    database_url: str, tmp_path: Path, trials: int
) -> None:
    tally = race(database_url, trials, tmp_path, plant=drop_the_state_guard, lasts=0.005)
    assert tally.faults != []


def drop_the_state_guard() -> None:
    """The planted bug: a cancel that also takes a row whose effect has begun."""
    transitions._CANCEL = Arrow(
        "cancelled",
        asked(
            *CANCELLABLE,
            State.EXECUTING,
            state="cancelled",
            finished_at=NOW,
            cancelled_at=NOW,
            cancelled_by=param("by"),
            cancel_reason=param("why"),
            cancel_key=param("key"),
        ),
    )
