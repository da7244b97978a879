"""The threads in which effects are made: one a slot, started when first needed."""

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from webapp.services.execute import Attempt, unforeseen, unknown
from webapp.store.claims import Finish

log = logging.getLogger(__name__)

Run = Callable[[Attempt], Finish]
"""Makes one effect and says how it ended."""


class Pool:
    """Runs attempts. Its one caller gives it no more than there are threads free.

    The threads are daemons: an effect that outlives its deadline does not hold up the process.
    """

    def __init__(self, run: Run, done: Callable[[Finish], None]) -> None:
        """`done` is called with each result, in the thread that made it."""
        self._run = run
        self._done = done
        self._handed: SimpleQueue[Attempt | None] = SimpleQueue()
        self._threads = 0

    def hand(self, attempt: Attempt, running: int) -> None:
        """Begin `attempt`, which makes `running` in all."""
        if self._threads < running:
            self._threads += 1
            name = f"effect-{self._threads}"
            threading.Thread(target=self._work, name=name, daemon=True).start()
        self._handed.put(attempt)

    def close(self) -> None:
        """End the threads, each when it has nothing to do."""
        for _ in range(self._threads):
            self._handed.put(None)

    def _work(self) -> None:
        while (attempt := self._handed.get()) is not None:
            try:
                result = self._run(attempt)
            except BaseException as surprise:
                log.exception("Attempt at action %s broke", attempt.claim.id)
                result = unknown(attempt.claim, unforeseen(surprise))
            self._done(result)
