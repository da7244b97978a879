"""The one thread that moves rows: it claims what is due and writes down what has ended.

What has ended and what is due share a transaction. Nothing is claimed for which no thread is free
now: a row that was claimed and waits can't be cancelled any more.
"""

import logging
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic

from webapp.domain.errors import Unavailable
from webapp.domain.times import MILLISECOND, SECOND
from webapp.services.desk import Desk
from webapp.services.execute import Attempt
from webapp.services.late import reconcile
from webapp.store import claims
from webapp.store.claims import Claim, Finish
from webapp.store.engine import Tx
from webapp.worker.lull import Lull
from webapp.worker.pool import Pool, Run
from webapp.worker.trigger import Trigger

log = logging.getLogger(__name__)

NEAR = 5 * MILLISECOND
"""From here to the due time the dispatcher waits by itself, and for nothing else."""
HOLD = 25 * MILLISECOND
"""What has ended waits for the next claim's transaction when that is no further away than this.

That transaction asks the rows what is due next: nobody needs to ask them before it."""
_WARM = 0.25
"""Seconds for which the last look has kept the connection warm."""
_YIELD = 0.0003
"""Seconds in which threads that were just given a claim have the interpreter for themselves."""
_LOCKED = (0.001, 0.05)
"""Seconds to wait when others hold what is due: at first, at most (doubling)."""
_TROUBLE = (0.05, 2.0)
"""The same while the database can't commit."""


class Dispatcher:
    """Claims for `slots` threads under `name`. `ring` and `stop` may be called from anywhere."""

    def __init__(self, desk: Desk, name: str, slots: int, run: Run) -> None:
        self._desk = desk
        self._db = desk.db
        self._name = name
        self._slots = slots
        self._lease = desk.settings.lease_seconds
        self._inbox: SimpleQueue[Finish | None] = SimpleQueue()
        self._pool = Pool(run, self._inbox.put)
        # By attempt too: one that is believed lost may end after the next was begun here.
        self._running: dict[tuple[str, int], Attempt] = {}
        self._ended: list[Finish] = []
        self._late: list[Finish] = []
        self._stuck: list[Finish] = []
        self._singly = False
        self._rung = False
        self._stopping = False
        self._sweep = False
        self._looked = 0.0
        self._locked, self._trouble = _LOCKED[0], _TROUBLE[0]
        self.trigger = Trigger(desk.now, self.ring)
        self.lull = Lull(lambda: self.trigger.at - self._db.now())

    def ring(self) -> None:
        """Something may have become due."""
        if not self._rung:
            self._rung = True
            self._inbox.put(None)

    def sweep(self) -> None:
        """Take over what other workers lost, as soon as a thread is free."""
        self._sweep = True
        self.ring()

    def stop(self) -> None:
        """Claim nothing more; `run` returns when the last effect has been written down."""
        self._stopping = True
        self.lull.close()
        self._inbox.put(None)

    def keep_leases(self) -> None:
        """The heartbeat: what runs here stays ours until it has been written down."""
        held = {attempt.claim.id: attempt for attempt in self._running.values()}
        if not held:
            return
        end = monotonic() + self._lease
        ids = list(held)
        kept = self._db.transact(lambda tx: claims.extend_leases(tx, self._name, ids, self._span))
        for action_id in kept:
            held[action_id].lease_end = end

    def run(self) -> None:
        """Until stopped and empty. Nothing that goes wrong in one turn ends it."""
        self._warm()
        while not (self._stopping and not self._running):
            try:
                self._turn()
                self._trouble = _TROUBLE[0]
            except Unavailable as trouble:
                log.warning("Worker %s waits for the database: %s", self._name, trouble)
                self._rest()
            except Exception:
                log.exception("Worker %s stumbled and goes on", self._name)
                self._rest()
        self._pool.close()

    def _warm(self) -> None:
        """Every statement once, on nothing: compiled and planned before something is due.

        On PostgreSQL that is a tenth of a second, in which nobody else of the process gets on.
        """
        claim = partial(claims.claim, worker=self._name, slots=0, lease=self._span)

        def both(tx: Tx) -> None:
            claims.finish(tx, self._name, [])
            claim(tx)
            claims.next_due(tx)

        try:
            self._db.transact(both)
            self._db.statement(claim)
        except Exception:
            # Only warmth is lost; what is wrong shows again in a turn, which goes on after it.
            log.exception("Worker %s could not warm its statements", self._name)

    @property
    def _span(self) -> int:
        return round(self._lease * SECOND)

    @property
    def _busy(self) -> int:
        """Threads with an effect in hand; those whose result is only not written down are free."""
        return len(self._running) - len(self._ended) - len(self._stuck)

    @property
    def _free(self) -> int:
        return 0 if self._stopping else self._slots - self._busy

    def _turn(self) -> None:
        """One thing that is to be done now, else a wait."""
        self._receive(0)
        if self._sweep and self._stuck:
            self._ended, self._stuck = self._ended + self._stuck, []
        free = self._free
        left = self.trigger.at - self._db.now()
        if free and self._sweep:
            self._sweep = False
            self._take_over()
            self._report()
        elif free and left <= 0:
            self._move(free)
        elif free and self.trigger.unsure and left > (HOLD if self._ended else NEAR):
            self._look()
        elif free and left <= (HOLD if self._ended else NEAR):
            self._approach(left)
        elif self._ended:
            self._move(0)
        else:
            if free:
                self.trigger.arm()
            self._receive(None)

    def _approach(self, left: int) -> None:
        """Shortly before: a look warms a connection that has rested; then wait for the moment."""
        if monotonic() - self._looked < _WARM:
            self._receive(left / SECOND)
        else:
            self._look()

    def _look(self) -> None:
        self.trigger.forget()
        self._looked = monotonic()
        try:
            with self._db.read() as tx:
                due = claims.next_due(tx)
        except BaseException:
            self.trigger.unsure = True
            raise
        if due is not None:
            self.trigger.know(due)

    def _move(self, want: int) -> None:
        """Write down what has ended and claim up to `want`, in one transaction."""
        began, known = monotonic(), self.trigger.at
        ended, want = (self._ended[:1], 0) if self._singly else (self._ended, want)
        if want:
            self.trigger.forget()
        try:
            late, taken, due = self._commit(ended, want)
        except Unavailable:
            raise
        except Exception:
            self._set_aside(ended)
            raise
        self._written(ended)
        for claim in taken:
            self._begin(claim, began)
        if want:
            more = len(taken) == want
            self._rearm(known if more else due, sure=more or bool(ended), got=bool(taken))
        if late:
            self._late += late
            self._report()

    def _commit(
        self, ended: list[Finish], want: int
    ) -> tuple[list[Finish], list[Claim], int | None]:
        """Results that came too late, claims, and what is due next where that was asked for."""

        def both(tx: Tx) -> tuple[list[Finish], list[Claim], int | None]:
            late = claims.finish(tx, self._name, ended)
            taken = claims.claim(tx, self._name, want, self._span) if want else []
            return late, taken, claims.next_due(tx) if len(taken) < want else None

        if ended:
            return self._db.transact(both)
        # By itself a claim is one round trip, and what is due next is asked for afterwards.
        alone = partial(claims.claim, worker=self._name, slots=want, lease=self._span)
        return [], self._db.statement(alone, does="claim"), None

    def _rearm(self, due: int | None, *, sure: bool, got: bool) -> None:
        """After a claim: `due` is what comes next, `sure` whether the rows were asked for it."""
        if due is not None:
            self.trigger.know(due)
        if not sure:
            self.trigger.unsure = True
        if got:
            self._locked = _LOCKED[0]
            self._receive(0 if sure else _YIELD)
        else:
            self._receive(self._locked)
            self._locked = min(self._locked * 2, _LOCKED[1])

    def _written(self, ended: list[Finish]) -> None:
        self._ended = self._ended[len(ended) :]
        self._singly = self._singly and bool(self._ended)
        for finish in ended:
            self._running.pop((finish.id, finish.attempt), None)

    def _set_aside(self, ended: list[Finish]) -> None:
        """One result that can't be stored must not hold up the others: singly, and it later."""
        if self._singly:
            self._stuck += ended
            self._ended = self._ended[len(ended) :]
        self._singly = bool(self._ended)

    def _begin(self, claim: Claim, began: float) -> None:
        attempt = Attempt(claim, began + self._lease, claim.taken_over)
        self._running[claim.id, claim.attempt] = attempt
        self._pool.hand(attempt, self._busy)
        self.lull.begun()

    def _take_over(self) -> None:
        """The sweep: our own first, so that they are not taken for lost."""
        began = monotonic()

        def work(tx: Tx) -> tuple[list[Claim], list[Claim]]:
            own = claims.mine(tx, self._name)
            claims.extend_leases(tx, self._name, [claim.id for claim in own], self._span)
            # Claimed by a commit whose answer was lost: no thread has begun with them.
            strays = [claim for claim in own if (claim.id, claim.attempt) not in self._running]
            free = self._free - len(strays)
            return strays, claims.take_over(tx, self._name, free, self._span) if free > 0 else []

        strays, taken = self._db.transact(work)
        for claim in strays:
            self._begin(claim, began)
        for claim in taken:
            log.warning("Action %s taken over, attempt %d", claim.id, claim.attempt)
            self._begin(claim, began)

    def _report(self) -> None:
        """Results that came too late are kept as evidence; what can't be stored now, later."""
        while self._late:
            log_of = reconcile(self._desk, self._late[0], self._name)
            if log_of is not None:
                log.error(
                    "Late result of action %s, attempt %d: %s; %s",
                    *(self._late[0].id, self._late[0].attempt, self._late[0].state, log_of),
                )
            self._late = self._late[1:]

    def _receive(self, seconds: float | None) -> None:
        """Take in what has ended, waiting up to `seconds` (None: for ever) for a first message."""
        try:
            self.lull.idle = seconds != 0
            message = self._inbox.get(timeout=seconds) if seconds != 0 else self._inbox.get_nowait()
            self.lull.idle = False
            while True:
                if message is None:
                    self._rung = False
                else:
                    self._ended.append(message)
                message = self._inbox.get_nowait()
        except Empty:
            return

    def _rest(self) -> None:
        """Growing pauses while the database is away; what ends meanwhile is kept."""
        until = monotonic() + self._trouble
        self._trouble = min(self._trouble * 2, _TROUBLE[1])
        while (left := until - monotonic()) > 0:
            self._receive(left)
        self.trigger.unsure = True
