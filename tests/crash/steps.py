"""What trials are made of: a load beside, a point that fires, and the verdict afterwards."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.crash.checker import check, settled, still_open
from tests.crash.load import Load
from tests.crash.stage import SETTLED, Stage

LOADS_AT_MOST = 4
REST = 2.0
"""Seconds in which a load's last effects come, after its last answer."""
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST = 6_000
"""Characters of a traceback that are told."""


@contextmanager
def beside(load: Load, *, waiting: bool = True) -> Iterator[threading.Thread]:
    """The load runs meanwhile; the block's end waits for its last answer."""
    running = threading.Thread(target=load.run, args=(waiting,), name="load")
    running.start()
    try:
        yield running
    finally:
        running.join()


def fire(
    stage: Stage, load: Load, spec: str, then: Callable[[int], None] = lambda _pid: None
) -> bool:
    """Whether it fired under a few loads; `then` is called with the process that it met."""
    stage.arm(spec)
    for _ in range(LOADS_AT_MOST):
        with beside(load) as running:
            rest = time.monotonic() + REST
            while not stage.fired.exists() and time.monotonic() < rest:
                time.sleep(0.02)
                if running.is_alive():
                    rest = time.monotonic() + REST
            if stage.fired.exists():
                stage.wait(lambda: stage.fired.read_text().isdigit())
                then(int(stage.fired.read_text()))
                return True
    return False


def wait(stage: Stage, what: Callable[[], bool], seconds: float = SETTLED) -> list[str]:
    try:
        stage.wait(what, seconds)
    except AssertionError:
        return [f"stuck after {seconds} s: {row}" for row in still_open(stage)[:5]]
    return []


def verdict(stage: Stage, *, fired: bool = True) -> list[str]:
    stage.disarm()
    late = wait(stage, lambda: settled(stage))
    faults = [*late, *check(stage), *([] if fired else ["it was never reached"])]
    return [*faults, *tracebacks(stage)] if faults else []


def tracebacks(stage: Stage) -> list[str]:
    """The last one that each process logged: what a 500 does not tell."""
    logs = (process.log.read_text() for process in stage.desk.processes)
    return [log[log.rindex(_TRACEBACK) :][:_LONGEST] for log in logs if _TRACEBACK in log]
