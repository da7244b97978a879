"""Processes that run beside the bench, and what they cost."""

import multiprocessing as mp
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
_CONTEXT = mp.get_context("spawn")
_START_SECONDS = 60


@dataclass
class Beside:
    """A function in a process of its own, told to stop by an event that it gets."""

    process: Any
    stop: Any
    answers: Any
    _result: Any = field(default=None)

    @property
    def pid(self) -> int:
        """Of the process."""
        return int(self.process.pid)

    def finish(self) -> Any:
        """Stops it; what it answered."""
        self.stop.set()
        if self._result is None:
            self._result = self.answers.get(timeout=60)
            self.process.join(60)
        return self._result


@contextmanager
def beside(work: Callable[..., Any], *arguments: object) -> Iterator[Beside]:
    """Runs `work(ready, stop, *arguments)` elsewhere; it sets `ready` once it has begun."""
    ready, stop, answers = _CONTEXT.Event(), _CONTEXT.Event(), _CONTEXT.Queue()
    process = _CONTEXT.Process(target=_run, args=(work, answers, ready, stop, arguments))
    process.start()
    running = Beside(process, stop, answers)
    try:
        if not ready.wait(_START_SECONDS):
            raise RuntimeError(f"{work.__name__} did not begin")
        yield running
        running.finish()
    finally:
        stop.set()
        process.join(10)
        if process.is_alive():
            process.kill()


def _run(work: Callable[..., Any], answers: Any, ready: Any, stop: Any, arguments: Any) -> None:
    answers.put(work(ready, stop, *arguments))


class Cost:
    """The share of one core that a process took, from here on. Differs by system: Linux's /proc."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began = perf_counter()
        self._before = self._used()

    def share(self) -> float:
        """Cores since then: 0.06 is 6 % of one."""
        return (self._used() - self._before) / (perf_counter() - self._began)

    def _used(self) -> float:
        path = Path(f"/proc/{self._pid}/stat")
        if not path.exists():
            return float("nan")
        fields = path.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
