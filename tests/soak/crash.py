"""The crash campaign, as often as wanted: the suite's trials, on fresh desks every so often."""

import time
from collections import Counter
from collections.abc import Sequence

from tests.crash.campaign import desks, ended, run
from tests.crash.trials import Trial
from tests.soak.campaigns import Campaign, Found

_PART = 60
"""Trials on one set of desks: each looks at all rows that are there."""
_DESKS = 3
_SAY = 10.0
"""Seconds between two lines of progress."""


def crashes(trials: Sequence[Trial], on: int = _DESKS) -> Campaign:
    """A campaign of `found.wanted` times each of `trials`, on `on` desks at once."""

    def campaign(found: Found, until: float) -> None:
        waiting = list(trials) * found.wanted
        found.wanted = len(waiting)
        while waiting and time.monotonic() < until:
            part, waiting = waiting[:_PART], waiting[_PART:]
            _part(found, part, on, until)
        found.say()

    return campaign


def _part(found: Found, part: Sequence[Trial], on: int, until: float) -> None:
    began = said = time.monotonic()
    before = found.seconds

    def report(number: int, faults: list[str]) -> None:
        nonlocal said
        found.trials += number
        found.faults += faults
        for fault in faults:
            print(f"  fault: {fault}", flush=True)
        found.seconds = before + time.monotonic() - began
        if faults or time.monotonic() - said > _SAY:
            said = time.monotonic()
            found.say()

    with desks(found.database, on) as made:
        run(made, part, report, until)
        states: Counter[str] = Counter()
        for stage, _ in made:
            states += ended(stage)
    found.cancelled += states["cancelled"]
    found.executed += states["executed"]
    found.seconds = before + time.monotonic() - began
