"""The host's clock of a process under test: right, until a file says by how much it is wrong."""

import os
import threading
import time
from datetime import datetime
from pathlib import Path

import time_machine

_EVERY = 0.05


class WrongClock:
    """All that Python tells the time by jumps with the file; `time.monotonic()` stays."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._by = 0.0
        self._travel = time_machine.travel(datetime.now().astimezone(), tick=True)
        right = time.time() - time.monotonic()
        self._clock = self._travel.start()
        # To start takes a while, by which the clock would be slow.
        self._clock.shift(right - (time.time() - time.monotonic()))

    def follow(self) -> None:
        """From now on, and in every process that is forked from this one."""
        self._look()
        os.register_at_fork(after_in_child=self._start)
        self._start()

    def _start(self) -> None:
        threading.Thread(target=self._watch, name="wrong-clock", daemon=True).start()

    def _watch(self) -> None:
        never = threading.Event()
        while not never.wait(_EVERY):
            self._look()

    def _look(self) -> None:
        wanted = float(self._file.read_text()) if self._file.exists() else 0.0
        if wanted != self._by:
            self._clock.shift(wanted - self._by)
            self._by = wanted


def step(file: Path, seconds: float) -> None:
    """Make the clocks that follow `file` wrong by `seconds`; returns when they are, all of them."""
    new = file.with_suffix(".new")
    new.write_text(str(seconds))
    new.rename(file)
    time.sleep(_EVERY * 3)
