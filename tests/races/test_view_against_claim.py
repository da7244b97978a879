"""Promise 13 at the moment of the claim: what ran was seen before, what was not seen is held."""

from pathlib import Path

from tests.races import eyes
from tests.store.test_eyes import careless_claim
from webapp.store import batches, claims
from webapp.store.engine import Database
from webapp.store.hot import Hot

TRIALS = 60
LEAST = 0.10
"""A race that one side always wins tests nothing."""


def claim_without_looking(db: Database) -> None:
    """The planted bug: a claim that does not ask whether anybody has seen it."""
    careless = careless_claim()
    statement = careless.sqlite if db.dialect == "sqlite" else careless.postgresql
    claims._TAKES[batches.CLAIM, db.dialect] = Hot(statement)


def test_nothing_runs_unseen_and_nothing_seen_is_held(database_url: str, tmp_path: Path) -> None:
    tally = eyes.race(database_url, TRIALS, tmp_path)
    assert tally.faults == []
    assert tally.least >= LEAST, tally


def test_a_claim_without_the_guard_is_caught(database_url: str, tmp_path: Path) -> None:
    tally = eyes.race(database_url, 40, tmp_path, plant=claim_without_looking)
    assert tally.faults != []
