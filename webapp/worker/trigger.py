"""When to look: one date job at the next due time, and the slow jobs beside it.

The rows are the truth; what is remembered here only wakes. A wake-up too many finds nothing.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic, time

from apscheduler.executors.debug import DebugExecutor
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from webapp.domain.times import MILLISECOND
from webapp.store.wakeup import NOTHING, UNKNOWN

EARLY = 3 * MILLISECOND
"""The job fires this much before the row is due: time to warm the connection."""
STEP_SECONDS = 0.5
"""A change of the host's clock that is more than its usual correction."""
LOOK_SECONDS = 0.5
"""How often it is looked for."""

_DUE = "due"

log = logging.getLogger(__name__)


class Trigger:
    """The earliest time at which something may be claimable, and the job that stands there."""

    def __init__(self, now: Callable[[], int], ring: Callable[[], None]) -> None:
        """`now` is the deciding clock; `ring` wakes the dispatcher, from any thread, at once."""
        self._now = now
        self._ring = ring
        self._lock = threading.Lock()
        self._armed = NOTHING
        self._stopped = threading.Event()
        self.at = NOTHING
        """The earliest time known; the dispatcher reads it."""
        self.unsure = True
        """Whether the rows have to be asked for it."""
        # APScheduler tells of each job that it adds, which here is each action.
        logging.getLogger("apscheduler").setLevel(logging.WARNING)
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            # The date job only rings, so it runs in the scheduler's own thread.
            executors={"default": ThreadPoolExecutor(4), "at_once": DebugExecutor()},
            # By default a job more than a second late is dropped.
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )

    def every(self, seconds: float, work: Callable[[], None], *, at_once: bool = False) -> None:
        """Call `work` every so often; `at_once` for what returns immediately."""
        self._scheduler.add_job(
            work,
            "interval",
            seconds=seconds,
            executor="at_once" if at_once else "default",
        )

    def start(self) -> None:
        """Begin to fire."""
        self._scheduler.start()
        threading.Thread(target=self._watch, name="clock", daemon=True).start()

    def stop(self) -> None:
        """No job fires any more; waits for those that run."""
        self._stopped.set()
        self._scheduler.shutdown(wait=True)

    def bring(self, due: int) -> None:
        """Something may become due at `due`; the listener of `db.wakeup`. Later than known: no-op.

        Compared and armed under one lock: else a later arrival could overwrite a nearer one.
        """
        if due == UNKNOWN:
            self.unsure = True
            self._ring()
        elif due < self.at:
            with self._lock:
                if due < self.at:
                    self.at = due
                    self._arm()

    def know(self, due: int) -> None:
        """What the rows answered; for the dispatcher, who sees to the job before it rests."""
        with self._lock:
            self.at = min(self.at, due)

    def forget(self) -> None:
        """Before the rows are asked: what arrives from here on is kept beside the answer."""
        with self._lock:
            self.unsure = False
            self.at = NOTHING

    def arm(self) -> None:
        """See to it that the job stands where it should, before a wait without an end."""
        with self._lock:
            self._arm()

    def _arm(self) -> None:
        if self.at in (NOTHING, self._armed):
            return
        left = self.at - self._now()
        if left <= EARLY:
            self._ring()
            return
        moment = datetime.now(UTC) + timedelta(microseconds=left - EARLY)
        self._scheduler.add_job(
            self._fire,
            "date",
            run_date=moment,
            id=_DUE,
            executor="at_once",
            replace_existing=True,
        )
        self._armed = self.at

    def _watch(self) -> None:
        """APScheduler waits by the host's clock: set back, every job would rest for as long."""
        known = time() - monotonic()
        while not self._stopped.wait(LOOK_SECONDS):
            offset = time() - monotonic()
            if abs(offset - known) > STEP_SECONDS:
                log.warning("The host's clock was set by %+.1f s", offset - known)
                self._begin_anew()
            known = offset

    def _begin_anew(self) -> None:
        """Every job at once, and the rows are asked what is due next."""
        with self._lock:
            self._armed = NOTHING
            for job in self._scheduler.get_jobs():
                # The date job may have run meanwhile.
                with suppress(JobLookupError):
                    job.modify(next_run_time=datetime.now(UTC))
        self.unsure = True
        self._ring()

    def _fire(self) -> None:
        self._armed = NOTHING
        self._ring()
