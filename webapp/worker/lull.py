"""Moments in which nothing is due: when work that may wait makes no action late.

An action that falls due meanwhile would wait for the interpreter, and on SQLite for the lock of
whoever writes. Such work is therefore cut into pieces of some milliseconds, and each piece asks.
"""

import threading
from collections.abc import Callable
from time import monotonic

from webapp.domain.times import MILLISECOND, SECOND

FAR = 10 * MILLISECOND
"""What is due next is at least so far away: longer than a piece takes."""
LONG = 100 * MILLISECOND
"""From here on there is room for a large one."""
_PIECE = 0.005
"""Seconds for which one who was let in is taken to be at it: the next comes after them."""
_BEGUN = 0.004
"""Seconds in which effects that were just claimed send their first bytes."""
_LOOK = 0.001


class Lull:
    """Lets one piece of slow work in at a time, between the dispatcher's turns."""

    def __init__(self, left: Callable[[], int]) -> None:
        """`left`: microseconds until the next action is due."""
        self._left = left
        self._lock = threading.Lock()
        self._let_in = 0.0
        self._closed = threading.Event()
        self._begun = 0.0
        self.idle = False
        """Whether the dispatcher waits; it says so itself."""

    def wait(self, most: float) -> int:
        """Wait for such a moment, up to `most` seconds: microseconds of it; 0: there was none.

        The caller goes on in any case: a desk that never pauses has to be counted too.
        """
        until = monotonic() + most
        with self._lock:
            while not (found := self._found()):
                if self._closed.is_set() or monotonic() > until:
                    return 0
                self._closed.wait(self._seconds())
            self._let_in = monotonic()
        return found

    def begun(self) -> None:
        """The dispatcher has just handed out what it claimed."""
        self._begun = monotonic()

    def close(self) -> None:
        """Nobody waits any more: the worker ends."""
        self._closed.set()

    def _found(self) -> int:
        left = self._left() if self.idle and self._rest() <= 0 else 0
        return left if left >= FAR else 0

    def _rest(self) -> float:
        """Seconds for which others are still at it."""
        return max(self._let_in + _PIECE, self._begun + _BEGUN) - monotonic()

    def _seconds(self) -> float:
        """How long to wait before looking again."""
        left = self._left() / SECOND if self.idle else 0.0
        return max(self._rest(), left if left < FAR / SECOND else 0.0, _LOOK)
