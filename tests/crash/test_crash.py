"""A few of each trial, on both databases. `make soak` runs many.

Promises 3 to 9. Cases: rails/solid_queue#748, riverqueue/river#1302, oban-bg/oban#532,
saleor/apps#2446, antiwork/gumroad#6193, Yelp/Tron#202, nextcloud/mail#6540.
"""

from collections.abc import Iterator, Sequence

import pytest

from tests.crash import trials
from tests.crash.campaign import Desks, desks, run
from tests.fixtures.databases import BACKENDS

DESKS = 3
TIMES = 2
RANDOM_KILLS = 5
LOST_REPLIES = 20


@pytest.fixture(scope="module", params=BACKENDS)
def on(request: pytest.FixtureRequest) -> Iterator[Desks]:
    """Desks of two processes each, on one database server."""
    with desks(request.param, DESKS) as made:
        yield made


def _none_found(on: Desks, wanted: Sequence[trials.Trial]) -> None:
    found: list[str] = []
    done: list[int] = []

    def report(number: int, faults: list[str]) -> None:
        done.append(number)
        found.extend(faults)

    run(on, wanted, report)
    assert not found, "\n".join(found)
    assert sum(done) == len(wanted)


def test_killed_at_every_failpoint(on: Desks) -> None:
    _none_found(on, trials.KILLS * TIMES)


def test_killed_at_random_moments(on: Desks) -> None:
    _none_found(on, [trials.killed_at_random] * RANDOM_KILLS)


def test_frozen_until_others_have_taken_over(on: Desks) -> None:
    _none_found(on, trials.FREEZES)


def test_the_caller_that_won_is_told_so_although_its_answer_was_lost(on: Desks) -> None:
    _none_found(on, trials.LOST * (LOST_REPLIES // len(trials.LOST)))


def test_the_hosts_clock_is_set(on: Desks) -> None:
    _none_found(on, trials.STEPPED)


def test_the_database_goes_away_in_the_middle(on: Desks) -> None:
    """All desks are on one server, so that only one may be at work."""
    if on[0][0].server is None:
        pytest.skip("a file has no server to lose")
    _none_found(on[:1], trials.OUTAGES)
