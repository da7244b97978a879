"""All promises of the rows at once, in any order of calls by several actors, on both databases.

Cases: triggerdotdev/trigger.dev#1981 (a cancelled delayed run executed), oban-bg/oban#532 (an older
attempt finishing late resurrected a job), riverqueue/river#1302 (the rescuer overwrote a finished
job), Yelp/Tron#202 (cancelling the parent released the children first).
"""

from collections.abc import Callable

import pytest

from tests.machine.machine import HISTORIES, run
from tests.machine.planted import BUGS
from webapp.domain.states import ARROWS

FEW = 3
"""Arrows that so few histories may leave out; `make soak` takes them all, many times."""
SOON = 40
"""Histories within which each planted bug is found."""


def test_the_desk_does_as_the_model_says(backend: str, new_database: Callable[[str], str]) -> None:
    """Promises 1 to 9, 12 and 14, one call after the other."""
    tally = run(new_database(backend), HISTORIES)
    missing = {f"{one} -> {other}" for one, other in ARROWS} - tally.keys()
    assert len(missing) <= FEW, "a machine that takes no such arrow says nothing of it"
    assert not {"late_result", "taken_over", "merged", "cancelled_with_parent"} - tally.keys()


@pytest.mark.parametrize("name", BUGS)
def test_the_machine_finds_the_bug(new_database: Callable[[str], str], name: str) -> None:
    """On SQLite: the guards are the same on both, and each bug costs a few histories."""
    with pytest.raises(AssertionError):
        run(new_database("sqlite"), SOON, bug=BUGS[name], shrinks=False)
