"""Approval against rejection against expiry: exactly one wins, and each is told so."""

from pathlib import Path

from tests.races import deciders
from webapp.domain.states import State
from webapp.store import approvals
from webapp.store.arrow import Arrow, asked
from webapp.store.engine import NOW

TRIALS = 150
LEAST = 0.05
"""A race that one side never wins tests nothing."""


def expire_what_was_rejected() -> None:
    """The planted bug: an expiry that also takes what a person rejected meanwhile."""
    states = (State.AWAITING_APPROVAL, State.REJECTED)
    approvals._EXPIRE = Arrow("expired", asked(*states, state=State.REJECTED, finished_at=NOW))


def test_exactly_one_wins(database_url: str, tmp_path: Path) -> None:
    tally = deciders.race(database_url, TRIALS, tmp_path)
    assert tally.faults == []
    assert sum(tally.wins.values()) == TRIALS
    assert min(tally.wins[side] for side in deciders.SIDES) >= LEAST * TRIALS, tally.wins


def test_an_expiry_without_its_state_is_caught(database_url: str, tmp_path: Path) -> None:
    plant = expire_what_was_rejected
    assert deciders.race(database_url, 60, tmp_path, plant=plant).faults != []
