"""Limits of an agent hold under twenty drafts at once, from threads and processes.

Issue 4: spend and count limits are enforced in the drafting transaction, never exceeded.
"""

from unittest import mock

from tests.races.limits import PROCESSES, THREADS, race
from webapp.domain.rules import Past
from webapp.services.past import Asks

ALL = PROCESSES * THREADS


def test_a_burst_is_never_exceeded(database_url: str) -> None:
    """Exactly so many begin scheduled; then the breaker has held those too."""
    tally = race(database_url, burst="7/600")
    assert tally.began == {"scheduled": 7, "held": ALL - 7}
    assert tally.stand == {"held": ALL}


def test_a_spend_is_never_exceeded(database_url: str) -> None:
    """As above, in money: 12.50 each, 60.00 in all."""
    tally = race(database_url, spend="6000:INR/600")
    assert tally.began == {"scheduled": 4, "held": ALL - 4}
    assert tally.scheduled_value <= 6_000
    assert tally.stand == {"held": ALL}


def test_of_duplicates_at_once_one_is_none(database_url: str) -> None:
    """An agent that sends the same twice at one moment is why the rule is there."""
    tally = race(database_url, likely_duplicate="approval")
    assert tally.began == {"scheduled": 1, "awaiting_approval": ALL - 1}


def _looks_away() -> None:
    mock.patch.object(Asks, "look", return_value=Past(drafted=0, spent=0)).start()


def _takes_no_turns() -> None:
    mock.patch.object(Asks, "turns", ()).start()


def test_a_limit_that_nobody_looks_at_is_exceeded(database_url: str) -> None:
    """The race is worth something."""
    assert race(database_url, plant=_looks_away, burst="7/600").began["scheduled"] > 7


def test_a_limit_without_turns_is_exceeded(postgresql_url: str) -> None:
    """As above; PostgreSQL, because SQLite's writers take turns anyhow."""
    assert race(postgresql_url, plant=_takes_no_turns, burst="7/600").began["scheduled"] > 7
