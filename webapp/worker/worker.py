"""The worker as a whole: what `serve` starts beside the requests, and `undo-desk worker`."""

import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from time import monotonic

from webapp.config import Settings
from webapp.connectors.base import Connector
from webapp.connectors.registry import connectors as registered
from webapp.domain.errors import Unavailable
from webapp.paths import INSTANCE
from webapp.services.approvals import expire_approvals
from webapp.services.desk import Desk
from webapp.services.digest import PIECE, digest
from webapp.services.execute import Attempt, Means, execute
from webapp.services.followers import FOLLOWERS
from webapp.services.overdue import hold_overdue
from webapp.services.prune import prune
from webapp.services.put_back import look
from webapp.services.recover import expire_reservations, recover
from webapp.services.settle import settle
from webapp.store import heartbeats
from webapp.store.claims import Finish
from webapp.worker.dispatcher import Dispatcher
from webapp.worker.lull import LONG
from webapp.worker.mark import MarkFile

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
"""A look at the rows when no wake-up came: one that was lost costs this much."""
BEAT_SECONDS = 5.0
"""Signs of life for health, at most this far apart."""
OFFSET_SECONDS = 60.0
"""How often the database's clock is compared with the host's."""
DIGEST_SECONDS = 2.0
"""How often what has happened is counted and made findable; it never hurries anybody."""
BRIEF = 10
"""Events in a transaction between two actions: 2 to 4 ms."""
BRIEF_SECONDS = (0.1, 0.02)
"""How long each of them waits for that moment, and where the last one waited in vain."""
PATIENCE_SECONDS = 0.3
"""The same for the other rounds, of which several may begin at once."""
PRUNE_SECONDS = 10.0
"""How often what is older than the retention is emptied, for a tenth of that time at most."""
CHECKPOINT_SECONDS = 5.0
"""How often SQLite's log is moved into its file, beside the commits instead of in one of them.

Seldom: its fsync makes the commit beside it wait, and of those there are 50 a second."""
GRACE_SECONDS = 5.0
"""On top of the connector deadline, for writing down how the last effect ended."""
_END = (signal.SIGTERM, signal.SIGINT)


class Worker:
    """Claims and runs, from `start()` to the last effect after `stop()`."""

    def __init__(
        self,
        desk: Desk,
        connectors: Mapping[str, Connector],
        *,
        slots: int | None = None,
        name: str | None = None,
        mark: MarkFile | None = None,
    ) -> None:
        """`slots`: effects in flight; by default the setting. `name`: default host-pid-random.

        `mark` is how a database that was put back is recognised; None: it is not looked for.
        """
        self.name = name or worker_name()
        self.slots = slots or desk.settings.worker_slots
        self._desk = desk
        self._mark = mark
        self._means = Means(desk, connectors, monotonic)
        self._dispatcher = Dispatcher(desk, self.name, self.slots, self._run)
        self._thread = threading.Thread(target=self._live, name="dispatcher", daemon=True)

    @property
    def next_at(self) -> int:
        """The earliest due time that this worker knows of, UTC microseconds."""
        return self._dispatcher.trigger.at

    def start(self) -> None:
        """Begin. Raises Unavailable where the database can't be reached."""
        desk, dispatcher, trigger = self._desk, self._dispatcher, self._dispatcher.trigger
        desk.db.measure_offset()
        self._keep_mark()
        self._live_sign()
        desk.db.wakeup.subscribe(trigger.bring)
        desk.db.wakeup.watch()
        lease = desk.settings.lease_seconds
        trigger.every(POLL_SECONDS, self._poll, at_once=True)
        trigger.every(desk.settings.sweep_seconds, dispatcher.sweep, at_once=True)
        trigger.every(desk.settings.sweep_seconds, self._expire)
        trigger.every(desk.settings.sweep_seconds, self._hold_overdue)
        trigger.every(desk.settings.sweep_seconds, self._settle)
        trigger.every(min(BEAT_SECONDS, lease / 3), self._beat)
        trigger.every(lease / 3, self._keep_leases)
        trigger.every(BEAT_SECONDS, lambda: self._quietly(self._keep_mark))
        trigger.every(OFFSET_SECONDS, self._measure_offset)
        trigger.every(DIGEST_SECONDS, self._digest)
        trigger.every(PRUNE_SECONDS, self._prune)
        trigger.every(CHECKPOINT_SECONDS, lambda: self._quietly(desk.db.checkpoint))
        trigger.start()
        self._thread.start()

    def stop(self) -> None:
        """Claim nothing from now on. Returns at once; safe in a signal handler."""
        self._dispatcher.stop()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until the last effect has been written down. False: not within `timeout` seconds."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _live(self) -> None:
        # Before the first claim, which would have to look past all of them.
        self._hold_overdue()
        self._dispatcher.run()
        self._desk.db.wakeup.unsubscribe(self._dispatcher.trigger.bring)
        self._dispatcher.trigger.stop()
        self._quietly(self._keep_mark)
        self._quietly(lambda: self._desk.db.transact(lambda tx: heartbeats.gone(tx, self.name)))

    def _run(self, attempt: Attempt) -> Finish:
        return (recover if attempt.taken_over else execute)(self._means, attempt)

    def _poll(self) -> None:
        self._dispatcher.trigger.unsure = True
        self._dispatcher.ring()

    def _keep_mark(self) -> None:
        """Look whether the database is the one that was left, and note where it stands now."""
        if self._mark is None:
            return
        now, was_put_back = look(self._desk, self._mark.read())
        if was_put_back:
            log.error("The database was put back from a backup or copied: everything is paused")
        self._mark.write(now)

    def _live_sign(self) -> None:
        self._desk.db.transact(lambda tx: heartbeats.beat(tx, self.name, self.slots))

    def _beat(self) -> None:
        self._quietly(self._live_sign)

    def _keep_leases(self) -> None:
        self._quietly(self._dispatcher.keep_leases)

    def _expire(self) -> None:
        def work() -> None:
            for action_id in expire_reservations(self._desk):
                log.info("Action %s cancelled: its reservation has expired", action_id)
            for action_id in expire_approvals(self._desk):
                log.info("Action %s rejected: nobody decided on it in time", action_id)

        self._quietly(work)

    def _hold_overdue(self) -> None:
        def work() -> None:
            if held := hold_overdue(self._desk):
                log.warning("%d actions overdue for too long, or unseen: held for a person", held)

        self._quietly(work)

    def _settle(self) -> None:
        def work() -> None:
            for action_id in settle(self._means, self.name):
                log.info("Action %s settled: the provider was asked", action_id)

        self._quietly(work)

    def _digest(self) -> None:
        calm = True

        def room() -> int:
            nonlocal calm
            lull = self._dispatcher.lull.wait(BRIEF_SECONDS[0 if calm else 1])
            calm = lull > 0
            return BRIEF if 0 < lull < LONG else PIECE

        self._quietly(lambda: digest(self._desk, FOLLOWERS, room=room))

    def _prune(self) -> None:
        def work() -> None:
            if emptied := prune(self._desk):
                log.info("%d actions older than the retention: without personal data", emptied)

        self._quietly(work)

    def _measure_offset(self) -> None:
        self._quietly(self._desk.db.measure_offset)

    def _quietly(self, work: Callable[[], object]) -> None:
        """In a lull; the next round does what the database could not do in this one."""
        self._dispatcher.lull.wait(PATIENCE_SECONDS)
        try:
            work()
        except Unavailable as trouble:
            log.warning("Worker %s: %s", self.name, trouble)


def worker_name() -> str:
    """`worker:HOST-PID-RANDOM`: one for each start, so that it stands for one life."""
    return f"worker:{socket.gethostname()[:60]}-{os.getpid()}-{secrets.token_hex(3)}"


def start_worker(desk: Desk, settings: Settings) -> Worker:
    """A started worker with the connectors of `settings`. Raises ConfigError, Unavailable."""
    worker = Worker(desk, registered(settings), mark=MarkFile(INSTANCE, desk.db))
    worker.start()
    return worker


def run(desk: Desk, slots: int | None = None) -> int:
    """`undo-desk worker`: until SIGTERM or SIGINT and the last effect. Answers the exit status."""
    mark = MarkFile(INSTANCE, desk.db)
    worker = Worker(desk, registered(desk.settings), slots=slots, mark=mark)
    # Blocked in every thread, and waited for: a process that was frozen may get a signal in
    # another thread than the first, where Python's handler would never run.
    signal.pthread_sigmask(signal.SIG_BLOCK, _END)
    worker.start()
    log.info("%s runs up to %d effects at once", worker.name, worker.slots)
    signal.sigwait(_END)
    worker.stop()
    if worker.join(desk.settings.connector_deadline_seconds + GRACE_SECONDS):
        return 0
    log.error("An effect outlived its deadline; the next sweep finds out how it ended")
    return 1
