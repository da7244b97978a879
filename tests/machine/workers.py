"""Rules of two workers: claim, send, finish, beat, take over, die; and of their other rounds."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.machine.base import STAFF, Held, nth, seldom, worker
from tests.machine.cancels import Cancels
from tests.machine.provider import Outcome
from webapp.domain.ids import idempotency_key
from webapp.domain.states import CANCELLABLE, State
from webapp.domain.times import SECOND
from webapp.services.approvals import expire_approvals
from webapp.services.execute import Attempt, execute
from webapp.services.late import reconcile
from webapp.services.overdue import hold_overdue
from webapp.services.recover import expire_reservations, recover
from webapp.services.settle import settle
from webapp.store import claims, lineage
from webapp.store.claims import Claim
from webapp.store.engine import Tx
from webapp.store.looks import AT_ONCE

LEASE = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that a worker does. Of the rest it takes what it needs."""

    does: str
    number: int
    slots: int
    waits: bool
    """Until there is something to do."""
    outcome: Outcome
    loses: bool


_DOES = (*("claim", "send", "sweep") * 3, *("finish", "cancel") * 2, "beat", "die")
_ROUNDS = (*("settle",) * 4, *("expire",) * 4, "put back")
_OUTCOMES = (Outcome.SETTLED, Outcome.SETTLED, Outcome.SETTLED, *Outcome)
_TURN = st.builds(
    Turn,
    does=st.sampled_from(_DOES),
    number=nth,
    slots=st.integers(1, 4),
    waits=st.booleans(),
    outcome=st.sampled_from(_OUTCOMES),
    loses=seldom,
)
_SEVERAL = st.lists(_TURN, min_size=3, max_size=7)


class Workers(Cancels):
    """What `worker.dispatcher` and the worker's rounds do, one step at a time."""

    @rule(turns=_SEVERAL)
    def first(self, turns: list[Turn]) -> None:
        """What a worker does is one rule, so that no history goes without half of it."""
        self._turns(0, turns)

    @rule(turns=_SEVERAL)
    def second(self, turns: list[Turn]) -> None:
        """The other worker."""
        self._turns(1, turns)

    @precondition(lambda self: self.any(State.SCHEDULED))
    @rule(who=worker, turn=_TURN)
    def freeze(self, who: int, turn: Turn) -> None:
        """Stopped beyond its lease and back again: the shortest way to a late result."""
        turn = replace(turn, waits=True, loses=False)
        self._turns(who, [replace(turn, does="claim"), *[replace(turn, does="send")] * turn.slots])
        self._turns(1 - who, [replace(turn, does="sweep")])
        if any(held.result for held in self.hands[who]):
            self._finish(who, turn)

    def _turns(self, who: int, turns: list[Turn]) -> None:
        for turn in turns:
            self._turn(who, turn)
            self.promises()

    def _turn(self, who: int, turn: Turn) -> None:
        """What it is, or what else there is to do."""
        waiting = any(held.result is None for held in self._in_hand())
        ended = [one for one in (who, 1 - who) if any(held.result for held in self.hands[one])]
        if turn.does == "sweep" and self.any(State.EXECUTING):
            self._sweep(who, turn)
        elif turn.does == "claim" and self.any(State.SCHEDULED):
            self._claim(who, turn)
        elif turn.does == "die" and self.hands[who]:
            self._die(who)
        elif turn.does == "beat" and self.hands[who]:
            self._beat(who)
        elif turn.does == "cancel" and self.any(State.EXECUTING):
            self.cancel(turn.number, STAFF[0], None, late=True, loses=turn.loses)
        elif ended and (turn.does == "finish" or not waiting):
            self._finish(ended[-1 if turn.waits else 0], turn)
        elif waiting:
            self._send(turn)

    def _claim(self, who: int, turn: Turn) -> None:
        """Exactly what is due and free, soonest first. `loses`: it never hears of it."""
        if turn.waits:
            due = [row.execute_at for row in self.seen.claimable(self.db.at)]
            self.db.set(max(self.db.at, *due[: turn.slots]) if due else self.db.at)
        now, name = self.db.at, self.names[who]
        due = [row.id for row in self.seen.claimable(now) if row.execute_at <= now]
        began = now / SECOND
        taken = self.db.statement(
            lambda tx: claims.claim(tx, name, turn.slots, LEASE), does="claim"
        )
        assert [claim.id for claim in taken] == due[: turn.slots]
        self._begin(taken)
        if not turn.loses:
            self._hold(who, taken, began)

    def _send(self, turn: Turn) -> None:
        """An effect is made, or not; the result stays in the worker's hands."""
        waiting = [held for held in self._in_hand() if held.result is None]
        held = waiting[-1 - turn.number % len(waiting)]
        claim, before = held.attempt.claim, len(self.provider.sent)
        self.provider.next, self.provider.silent = turn.outcome, turn.waits
        held.result = (recover if held.attempt.taken_over else execute)(self.means, held.attempt)
        for request in self.provider.sent[before:]:
            assert request.key == idempotency_key(claim.id)
            assert claim.payload == self.seen.rows[claim.id].payload
            assert not (held.attempt.taken_over and claim.cancel_recorded)
            texts = self.model.rows[claim.id].texts
            assert not texts or _texts(request.payload["body"]) == texts

    def _finish(self, who: int, turn: Turn) -> None:
        """What has ended is written down; what comes too late is kept, and is only evidence."""
        ended = [held for held in self.hands[who] if held.result][: turn.slots]
        results = [held.result for held in ended if held.result]
        self.hands[who] = [held for held in self.hands[who] if held not in ended]
        name = self.names[who]
        self.db.loses = turn.loses
        late = self.db.transact(lambda tx: claims.finish(tx, name, results))
        self.db.loses = False
        zombies = [result for result in results if not self.model.finish(result)]
        # Written twice, "in doubt" says the same again: the row is as it was.
        twice = [one for one in results if turn.loses and one.state is not State.EXECUTING]
        assert late == [one for one in results if one in zombies or one in twice]
        for result in late:
            said = reconcile(self.desks[0], result, name)
            assert (said is not None) is (result in zombies), said
        for result in zombies:
            evidence = result.state is State.EXECUTED
            if evidence and self.model.rows[result.id].state is State.UNKNOWN:
                self.model.execute(result.id)

    def _beat(self, who: int) -> None:
        """The heartbeat: what is still its own stays its own."""
        name, now = self.names[who], self.db.at
        ids = [held.attempt.claim.id for held in self.hands[who]]
        kept = self.db.transact(lambda tx: claims.extend_leases(tx, name, ids, LEASE))
        rows = self.seen.rows
        assert kept == {
            one for one in ids if (rows[one].state, rows[one].worker) == ("executing", name)
        }
        for held in self.hands[who]:
            if held.attempt.claim.id in kept:
                held.attempt.lease_end = (now + LEASE) / SECOND

    def _sweep(self, who: int, turn: Turn) -> None:
        """Its own first, also what it never heard of; then exactly what others have lost."""
        name = self.names[who]
        running = [row for row in self.seen.rows.values() if row.state == State.EXECUTING]
        others = [row for row in running if row.worker != name]
        if turn.waits and others:
            self.db.set(max(self.db.at, min(row.lease_until for row in others) + 1))
        now = self.db.at
        lost_ones = sorted(
            (row.lease_until, row.id)
            for row in others
            if row.lease_until < now and not self.seen.paused(row)
        )

        def work(tx: Tx) -> tuple[list[Claim], list[Claim]]:
            own = claims.mine(tx, name)
            claims.extend_leases(tx, name, [claim.id for claim in own], LEASE)
            return own, claims.take_over(tx, name, turn.slots, LEASE)

        own, taken = self.db.transact(work)
        assert {claim.id for claim in own} == {row.id for row in running if row.worker == name}
        assert {claim.id for claim in taken} == {one for _, one in lost_ones[: turn.slots]}
        known = {held.attempt.claim.id for held in self.hands[who]}
        self._hold(who, [claim for claim in own if claim.id not in known], now / SECOND)
        self._begin(taken)
        self._hold(who, taken, now / SECOND, taken_over=True)

    def _die(self, who: int) -> None:
        """kill -9: what it had in hand is forgotten; another life has another name."""
        self.hands[who] = []
        self.names[who] = f"worker:{who}-{next(self.number)}"

    @rule(
        does=st.sampled_from(_ROUNDS),
        waits=st.booleans(),
    )
    def rounds(self, does: str, waits: bool) -> None:
        """What a worker does every few seconds, and what happens once in years."""
        if does == "settle":
            self._settle(silent=not waits)
        elif does == "expire":
            self._expire(waits=waits)
        elif waits:
            self._put_back()
        self.promises()
        self._hold_overdue()

    def _settle(self, *, silent: bool) -> None:
        """Who can be asked is asked; one that says nothing changes nothing."""
        self.provider.silent = silent
        now, able = self.db.at, self.means.connectors
        due = [
            row
            for row in self.seen.rows.values()
            if row.look_at is not None
            and row.look_at <= now
            and able[row.kind].can_look_up
            and not self.seen.paused(row)
        ]
        if len(due) > AT_ONCE:
            return
        settled = settle(self.means, self.names[0])
        unsettled = [row for row in due if '"submitted"' in (row.effect or "")]
        unknown = [row.id for row in due if row.state == State.UNKNOWN]
        told = [row.id for row in unsettled if row.state == State.EXECUTED]
        assert set(settled) == (set() if silent else {*unknown, *told})
        for one in [] if silent else unknown:
            if self.provider.happened(one):
                self.model.execute(one)
            else:
                self.model.did_not_happen(one)

    def _hold_overdue(self) -> None:
        """Promise 14: exactly what is due for too long."""
        overdue = [row.id for row in self.seen.overdue(self.db.at)]
        assert hold_overdue(self.desks[0]) == len(overdue)
        for one in overdue:
            self.model.rows[one].state = State.HELD

    def _expire(self, *, waits: bool) -> None:
        """A reservation that is over takes its action along, and what depends on it."""
        live = [one.id for one in self.model.rows.values() if one.state in CANCELLABLE]
        until = {one: self.seen.rows[one].reserved_until for one in live}
        if waits and any(until.values()):
            self.db.set(max(self.db.at, 1 + min(filter(None, until.values()))))
        over = {one for one in live if until[one] and until[one] < self.db.at}
        assert set(expire_reservations(self.desks[0])) <= over
        for one in over:
            self.model.end(one, State.CANCELLED)
        self.promises()
        self._reject_undecided(waits=waits)

    def _reject_undecided(self, *, waits: bool) -> None:
        """Exactly what waited for a decision for too long, with what depends on it."""
        undecided = [
            row
            for row in self.seen.rows.values()
            if row.state == State.AWAITING_APPROVAL and not self.seen.paused(row)
        ]
        if waits and undecided:
            self.db.set(max(self.db.at, min(row.approve_by for row in undecided)))
        over = {row.id for row in undecided if row.approve_by <= self.db.at}
        ended: set[str] = set()
        for one in expire_approvals(self.desks[0]):
            ended |= {one, *self.model.end(one, State.REJECTED)}
        assert over <= ended

    def _put_back(self) -> None:
        """A backup was restored: its workers are gone, and nobody knows how theirs ended."""
        running = [one for one in self.model.rows.values() if one.state is State.EXECUTING]
        ended = self.db.transact(lineage.put_back)
        assert set(ended) == {one.id for one in running}
        for one in running:
            one.state = State.UNKNOWN
        for who in (0, 1):
            self.hands[who] = [held for held in self.hands[who] if held.result]

    def _in_hand(self) -> list[Held]:
        return [*self.hands[0], *self.hands[1]]

    def _begin(self, taken: list[Claim]) -> None:
        for claim in taken:
            one = self.model.rows[claim.id]
            one.state, one.attempt = State.EXECUTING, one.attempt + 1
            assert (claim.attempt, claim.cancel_recorded) == (one.attempt, one.late)

    def _hold(
        self, who: int, taken: list[Claim], began: float, *, taken_over: bool = False
    ) -> None:
        end = began + LEASE / SECOND
        self.hands[who] += [Held(Attempt(claim, end, taken_over)) for claim in taken]


def _texts(said: Any) -> list[Any]:
    """What was said in a payload: paragraphs of a mail, members of a list."""
    return said if isinstance(said, list) else str(said).split("\n\n")
