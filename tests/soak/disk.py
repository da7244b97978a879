"""The disk that fails at its first call, its second, and so on, until a run never comes so far."""

import time

from tests.crash.campaign import desks, ended
from tests.crash.disk import Disk, fail, missing
from tests.soak.campaigns import Campaign, Found

_PART = 20
"""Runs on one desk."""


def failing(disk: Disk) -> Campaign:
    """A campaign of at most `found.wanted` runs, one desk after the other; the last one is clean.

    Without strace it says so, and nothing of it is written down.
    """

    def campaign(found: Found, until: float) -> None:
        if why := missing():
            print(f"  {found.campaign}, {found.database}: NOT RUN: {why}", flush=True)
            return
        nth = 1
        while nth <= found.wanted and time.monotonic() < until:
            nth = _part(found, disk, nth, until)
        found.say()

    return campaign


def _part(found: Found, disk: Disk, nth: int, until: float) -> int:
    """The next call to fail; where a run was clean, `found.wanted` was all there is."""
    began, before = time.monotonic(), found.seconds
    with desks(found.database, 1, fsync=True) as ((stage, load),):
        for one in range(nth, min(nth + _PART, found.wanted + 1)):
            if time.monotonic() >= until:
                break
            try:
                failed, faults = fail(disk, one, stage, load)
            except Exception as fault:  # noqa: BLE001 - one run's, told with the others
                failed, faults = 1, [f"{type(fault).__name__}: {fault}"]
            nth = one + 1
            found.trials += 1
            found.faults += [f"at call {one}: {fault}" for fault in faults]
            found.seconds = before + time.monotonic() - began
            found.say()
            if not failed:
                found.wanted = found.trials
                break
        states = ended(stage)
    found.cancelled += states["cancelled"]
    found.executed += states["executed"]
    return nth
