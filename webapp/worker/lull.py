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

    def wait(self, most: float) -> bool:
        """Wait for such a moment, up to `most` seconds. False: there was none.

        The caller goes on in any case: a desk that never pauses has to be counted too.
        """
        until = monotonic() + most
        with self._lock:
            while (left := self._seconds()) > 0:
                if self._closed.is_set() or monotonic() > until:
                    return False
                self._closed.wait(left)
            self._let_in = monotonic()
        return True

    def begun(self) -> None:
        """The dispatcher has just handed out what it claimed."""
        self._begun = monotonic()

    def close(self) -> None:
        """Nobody waits any more: the worker ends."""
        self._closed.set()

    def _seconds(self) -> float:
        """How long to wait before asking again; 0: this is such a moment."""
        rest = max(self._let_in + _PIECE, self._begun + _BEGUN) - monotonic()
        if rest > 0:
            return rest
        left = self._left() if self.idle else 0
        return 0 if left >= FAR else max(left / SECOND, _LOOK)
