"""The whole machine, and how often it is run."""

from collections import Counter
from contextlib import nullcontext

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.machine.admins import Admins
from tests.machine.clock import stopped
from tests.machine.drafts import Drafts
from tests.machine.people import People
from tests.machine.workers import Workers
from tests.store.planted import Bug, planted

HISTORIES, STEPS = 30, 50
"""In CI: about fifteen seconds of a core on each database."""


class Machine(Drafts, People, Workers, Admins):
    """Everybody at once."""


def run(
    url: str,
    histories: int,
    *,
    bug: Bug | None = None,
    shrinks: bool = True,
    same: bool = True,
) -> Counter[str]:
    """`histories` of up to STEPS steps on the migrated database at `url`; what happened.

    Raises what was found, after the shortest history that shows it (`shrinks`). `same`: those of
    every other run, for CI; else new ones. With `bug`, it is planted meanwhile.
    """
    tally: Counter[str] = Counter()

    class Here(Machine):
        """Hypothesis makes one for each history."""

        def __init__(self) -> None:
            super().__init__(db, tally)

    phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]
    chosen = settings(
        max_examples=histories,
        stateful_step_count=STEPS,
        derandomize=same,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    with stopped(url) as db, planted(db, bug) if bug else nullcontext():
        run_state_machine_as_test(Here, settings=chosen)
    return tally
