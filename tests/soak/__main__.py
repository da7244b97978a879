"""`python -m tests.soak`: runs the campaigns and writes RESULTS.md. Exit status 1 on any fault."""

import argparse
import sys
import time

from tests.bench.databases import BACKENDS
from tests.crash import trials
from tests.crash.disk import BROKEN, FULL
from tests.soak import results
from tests.soak.campaigns import (
    Campaign,
    Found,
    cancel_against_claim,
    machine,
    over_http,
    retail_days,
)
from tests.soak.crash import crashes
from tests.soak.disk import failing

CRASHES = {
    "kills": (50, "killed at each failpoint", trials.KILLS, 3),
    "deaths": (500, "killed at random moments", (trials.killed_at_random,), 3),
    "freezes": (100, "frozen beyond the lease", trials.FREEZES, 3),
    "replies": (500, "lost reply on cancel", trials.LOST, 3),
    "outages": (100, "database away", trials.OUTAGES, 1),
    "steps": (10, "host clock set", trials.STEPPED, 3),
}
"""By argument: times for each kind of trial, what it is, the kinds, and desks at once."""
DISKS = {
    "broken": (500, "disk: EIO at the n-th fsync", BROKEN),
    "full": (1_000, "disk: ENOSPC at the n-th write", FULL),
}
"""By argument: calls at most until a run is clean, what it is, and the disk."""


def main() -> None:
    """One campaign after the other, each on both databases; RESULTS.md is rewritten after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=BACKENDS, help="else both")
    parser.add_argument("--trials", type=int, default=100_000, help="cancel against claim")
    parser.add_argument("--http", type=int, default=2_000, help="trials over HTTP")
    parser.add_argument("--days", type=int, default=3, help="times the retail day is repeated")
    parser.add_argument("--machine", type=int, default=2_000, help="histories against the model")
    for name, (number, help_text, _, _) in CRASHES.items():
        parser.add_argument(f"--{name}", type=int, default=number, help=help_text)
    for name, (number, help_text, _) in DISKS.items():
        parser.add_argument(f"--{name}", type=int, default=number, help=help_text)
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="begin no further part of a race later"
    )
    asked = parser.parse_args()
    backends = [asked.database] if asked.database else BACKENDS
    founds = [
        *(_campaign(over_http, Found("over HTTP", one, asked.http), asked) for one in backends),
        *(_campaign(retail_days, Found("retail day", one, asked.days), asked) for one in backends),
        *(
            _campaign(cancel_against_claim, Found("cancel against claim", one, asked.trials), asked)
            for one in backends
        ),
        *(
            _campaign(machine, Found("state machine", one, asked.machine), asked)
            for one in backends
        ),
        *(_crash(name, one, asked) for name in CRASHES for one in backends),
        *(
            _campaign(failing(disk), Found(words, one, getattr(asked, name)), asked)
            for name, (_, words, disk) in DISKS.items()
            for one in backends
        ),
    ]
    sys.exit(1 if any(found.faults for found in founds) else 0)


def _crash(name: str, backend: str, asked: argparse.Namespace) -> Found:
    _, words, trials, on = CRASHES[name]
    wanted = 0 if name == "outages" and backend == "sqlite" else getattr(asked, name)
    return _campaign(crashes(trials, on), Found(words, backend, wanted), asked)


def _campaign(run: Campaign, found: Found, asked: argparse.Namespace) -> Found:
    if found.wanted:
        run(found, time.monotonic() + asked.minutes * 60)
    if found.trials:
        results.write(found)
    return found


if __name__ == "__main__":
    main()
