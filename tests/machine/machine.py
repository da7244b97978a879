"""The whole machine, and how often it is run."""

from collections import Counter

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.machine.admins import Admins
from tests.machine.cancels import Cancels
from tests.machine.clock import stopped
from tests.machine.drafts import Drafts
from tests.machine.people import People
from tests.machine.workers import Workers

HISTORIES, STEPS = 50, 50


class Machine(Drafts, Cancels, People, Workers, Admins):
    """Everybody at once."""


def run(url: str, histories: int, *, steps: int = STEPS, shrinks: bool = True) -> Counter[str]:
    """`histories` of up to `steps` steps on the migrated database at `url`; what happened.

    Raises what was found, with the shortest history that shows it (`shrinks`). The histories are
    the same at every run; `UNDO_DESK_MACHINE_SEED` names others.
    """
    tally: Counter[str] = Counter()

    class Here(Machine):
        def __init__(self) -> None:
            super().__init__(db, tally)

    phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]
    chosen = settings(
        max_examples=histories,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    with stopped(url) as db:
        run_state_machine_as_test(Here, settings=chosen)
    return tally
