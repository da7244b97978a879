"""All promises of the rows at once, in any order of calls by several actors, on both databases."""

from collections.abc import Callable

from tests.machine.machine import HISTORIES, run
from webapp.domain.states import ARROWS


def test_the_desk_does_as_the_model_says(backend: str, new_database: Callable[[str], str]) -> None:
    tally = run(new_database(backend), HISTORIES)
    print(tally)
    missing = {f"{one} -> {other}" for one, other in ARROWS} - tally.keys()
    assert not missing, "a machine that never takes an arrow says nothing of it"
