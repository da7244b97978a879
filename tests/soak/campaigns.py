"""What is repeated, and how each campaign says what it found. All of it is the race tests' code."""

import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.databases import fresh
from tests.fixtures.desk import Desk, make_desk
from tests.machine import machine as histories
from tests.races import arena, test_over_http, test_retail_day

_PART = 10_000
_HISTORIES = 100
_CLIENTS = 16


Campaign = Callable[["Found", float], None]
"""Fills in what it found; begins nothing further after `time.monotonic()` has reached a time."""


@dataclass
class Found:
    """One campaign on one database, so far."""

    campaign: str
    database: str
    wanted: int
    trials: int = 0
    cancelled: int = 0
    executed: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def bound(self) -> str:
        """What none of n supports at 95 %: below 3/n ("rule of three")."""
        if self.faults or not self.trials:
            return "none"
        return f"below {3 / self.trials:.1e} a trial"

    def say(self) -> None:
        """Progress, on a line."""
        print(
            f"  {self.campaign}, {self.database}: {self.trials:,} of {self.wanted:,}, "
            f"{self.cancelled:,} cancelled, {self.executed:,} executed, "
            f"{len(self.faults)} faults, {self.seconds:.0f} s",
            flush=True,
        )


def cancel_against_claim(found: Found, until: float) -> None:
    """Two processes at a barrier, a part at a time, while `time.monotonic()` is before `until`."""
    with fresh(found.database) as url:
        while found.trials < found.wanted and time.monotonic() < until:
            number = min(_PART, found.wanted - found.trials)
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="undo-desk-soak-") as folder:
                tally = arena.race(url, number, Path(folder))
            found.trials += tally.trials
            found.cancelled += tally.cancelled
            found.executed += tally.executed
            found.faults += tally.faults
            found.seconds += time.monotonic() - began
            found.say()


def over_http(found: Found, _until: float) -> None:
    """Clients against a live worker; effects counted at a peer."""
    began = time.monotonic()
    with fresh(found.database) as url, _desks() as new_desk:
        try:
            wins = test_over_http.over_http(new_desk, url, found.wanted, _CLIENTS)
            found.cancelled, found.executed = wins
        except AssertionError as fault:
            found.faults.append(_told(fault))
    found.trials, found.seconds = found.wanted, time.monotonic() - began
    found.say()


def retail_days(found: Found, until: float) -> None:
    """The shop's day, each time on a fresh desk. Its trials are the cancels."""
    days, found.wanted = found.wanted, found.wanted * test_retail_day.CANCELS
    for _ in range(days):
        if time.monotonic() >= until:
            return
        began = time.monotonic()
        with fresh(found.database) as url, _desks() as new_desk:
            try:
                wins = test_retail_day.a_day(new_desk, url)
            except AssertionError as fault:
                found.faults.append(_told(fault))
            else:
                found.cancelled += wins[200]
                found.executed += wins[409]
                found.trials += wins.total()
        found.seconds += time.monotonic() - began
        found.say()


def machine(found: Found, until: float) -> None:
    """Any order of calls against the model, new histories each time, on a fresh database a part."""
    while found.trials < found.wanted and time.monotonic() < until:
        number = min(_HISTORIES, found.wanted - found.trials)
        began = time.monotonic()
        with fresh(found.database) as url:
            try:
                tally = histories.run(url, number, same=False)
            except AssertionError as fault:
                notes = getattr(fault, "__notes__", [])
                found.faults.append(" ".join([_told(fault), *notes]))
                print(f"  fault: {found.faults[-1]}", flush=True)
            else:
                found.cancelled += tally["cancelled"]
                found.executed += tally["executed"]
        found.trials += number
        found.seconds += time.monotonic() - began
        found.say()


def _told(fault: AssertionError) -> str:
    """What was asserted; outside of pytest an assertion has no words of its own."""
    *_, where = traceback.extract_tb(fault.__traceback__)
    return " ".join(f"{where.line} {fault}".split())


@contextmanager
def _desks() -> Iterator[Callable[..., Desk]]:
    """The suite's `new_desk`, without pytest."""
    made: list[Desk] = []
    with tempfile.TemporaryDirectory(prefix="undo-desk-soak-") as folder:

        def make(database_url: str, **settings: str) -> Desk:
            made.append(make_desk(Path(folder) / f"desk-{len(made)}", database_url, **settings))
            return made[-1]

        try:
            yield make
        finally:
            for desk in made:
                desk.close()
