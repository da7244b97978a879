"""Long polls: who waits holds a thread of the server, so only so many may."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from webapp.store.wakeup import Wakeup

MOST = 16
"""Half of the server's threads (`serve.THREADS`): a cancel always finds one."""
MOST_OF_ONE = 4
"""Of one agent or person."""


class Waiters:
    """The waiting requests of one process, woken by every commit."""

    def __init__(self, wakeup: Wakeup) -> None:
        self._changed = threading.Condition()
        self._round = 0
        self._waiting: Counter[str] = Counter()
        wakeup.subscribe(self._wake)

    @contextmanager
    def place(self, who: str) -> Iterator[bool]:
        """Whether there is room for `who` to wait, taken until the block ends."""
        with self._changed:
            room = self._waiting[who] < MOST_OF_ONE and self._waiting.total() < MOST
            if room:
                self._waiting[who] += 1
        try:
            yield room
        finally:
            if room:
                with self._changed:
                    self._waiting[who] -= 1
                    self._waiting += Counter()  # drops names at zero

    @property
    def count(self) -> int:
        """Requests that wait now."""
        return self._waiting.total()

    @property
    def round(self) -> int:
        """A number that rises with every commit while somebody waits: read it before looking."""
        return self._round

    def wait(self, since: int, seconds: float) -> None:
        """Returns when the round is no longer `since`, or after `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: self._round != since, seconds)

    def _wake(self, _due: int) -> None:
        if self._waiting:
            with self._changed:
                self._round += 1
                self._changed.notify_all()
