"""Rules of the staff: deciding, the clock, resolving, taking back, and once more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.machine.base import Base, nth, seldom, shown, staff
from tests.machine.model import One
from webapp.domain.action import Action
from webapp.domain.errors import (
    Changed,
    DeskError,
    KindOff,
    LimitReached,
    NotAwaiting,
    NotExecuted,
    NotHeld,
    NotUnknown,
    OutOfStock,
    TooLate,
    UnknownOutcome,
    WrongState,
)
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import RAN_OUT, State
from webapp.domain.times import SECOND
from webapp.services import clock, decide
from webapp.services.again import again
from webapp.services.caller import Caller
from webapp.services.compensate import compensate
from webapp.services.draft import DraftResult
from webapp.services.resolve import resolve
from webapp.store.transitions import EXTENSIONS_AT_LEAST, RELEASE_AT_LEAST


@dataclass(frozen=True, slots=True)
class Verb:
    """A call, the state that it starts from, and its refusal from any other."""

    ask: Callable[..., Action]
    needed: State
    refusal: type[DeskError]


_APPROVE = Verb(decide.approve, State.AWAITING_APPROVAL, NotAwaiting)
_REJECT = Verb(decide.reject, State.AWAITING_APPROVAL, NotAwaiting)
_HOLD = Verb(clock.hold, State.SCHEDULED, TooLate)
_RELEASE = Verb(clock.release, State.HELD, NotHeld)
_RUN_NOW = Verb(clock.run_now, State.SCHEDULED, TooLate)
_VERBS = (_APPROVE, _APPROVE, _RELEASE, _RELEASE, _REJECT, _HOLD, _RUN_NOW)

_TAKEN_BACK = frozenset(name for name, kind in KINDS.items() if kind.way_back)


class People(Base):
    """Two of the staff."""

    @rule(verb=st.sampled_from(_VERBS), number=nth, who=staff, behind=shown, loses=seldom)
    def verb(self, verb: Verb, number: int, who: Caller, behind: int | None, loses: bool) -> None:
        """Approve, reject, hold, release or run now."""
        if not self.any(verb.needed):
            verb = _HOLD
        one = self.pick(number, verb.needed)
        asked: dict[str, Any] = {"reason": "because", "seen": self.version(one, behind)}
        answer = self.ask(lambda: verb.ask(self.desks[0], one, who, **asked), loses=loses)
        if self.model.rows[one].state is not verb.needed:
            assert isinstance(answer, verb.refusal), answer
        elif behind:
            assert type(answer) is Changed, answer
        else:
            assert isinstance(answer, Action), answer
            self._moved(verb, answer)

    def _moved(self, verb: Verb, told: Action) -> None:
        row, left = self.model.rows[told.id], (told.execute_at or 0) - self.db.at
        if verb is _REJECT:
            self.model.end(told.id, State.REJECTED)
        elif verb is _HOLD:
            row.state = State.HELD
            assert told.execute_at is None
        elif verb is _RUN_NOW:
            row.scope = None
            assert left == 0
        else:
            self.model.release(told.id)
            assert left >= (RELEASE_AT_LEAST if verb is _RELEASE else 11 * SECOND)
            row.scope = row.scope if verb is _RELEASE else None

    @precondition(lambda self: self.any(State.SCHEDULED))
    @rule(number=nth, who=staff, seconds=st.sampled_from((1, 100, 3_600)), loses=seldom)
    def extend(self, number: int, who: Caller, seconds: int, loses: bool) -> None:
        one = self.pick(number, State.SCHEDULED)
        before = self.seen.rows[one]
        full = before.extended + seconds * SECOND > max(10 * before.window, EXTENSIONS_AT_LEAST)
        call = lambda: clock.extend(self.desks[0], one, who, seconds=seconds)  # noqa: E731
        answer = self.ask(call, loses=loses)
        if self.model.rows[one].state is not State.SCHEDULED:
            assert isinstance(answer, TooLate), answer
        elif full:
            assert type(answer) is LimitReached, answer
        else:
            assert isinstance(answer, Action), answer
            assert answer.execute_at == before.execute_at + seconds * SECOND

    @precondition(lambda self: self.any(State.UNKNOWN))
    @rule(number=nth, who=staff, loses=seldom)
    def resolve(self, number: int, who: Caller, loses: bool) -> None:
        """A person finds out, and says what is true."""
        one = self.pick(number, State.UNKNOWN)
        happened = self.provider.happened(one)
        outcome = "happened" if happened else "did_not_happen"
        desk = self.desks[0]
        answer = self.ask(
            lambda: resolve(desk, one, who, outcome=outcome, note="I asked"), loses=loses
        )
        if self.model.rows[one].state is not State.UNKNOWN:
            assert type(answer) is NotUnknown, answer
            return
        assert isinstance(answer, Action), answer
        if happened:
            self.model.execute(one)
        else:
            self.model.did_not_happen(one)

    @precondition(lambda self: self.any(State.EXECUTED))
    @rule(number=nth, who=staff, loses=seldom)
    def compensate(self, number: int, who: Caller, loses: bool) -> None:
        """The way back: one, however often it is asked for."""
        one = self.model.rows[self.pick(number, State.EXECUTED, kinds=_TAKEN_BACK)]
        way_back = KINDS[one.kind].way_back
        assert way_back is not None
        desk = self.desks[1]
        answer = self.ask(
            lambda: compensate(desk, one.id, who, name=way_back.name, note="Sorry"), loses=loses
        )
        if one.state is not State.EXECUTED:
            wanted = UnknownOutcome if one.state is State.UNKNOWN else NotExecuted
            assert type(answer) is wanted, answer
            return
        assert isinstance(answer, DraftResult), answer
        live = self.model.live(compensates=one.id, kind=way_back.kind)
        assert answer.created is (live is None)
        if live is not None:
            assert answer.action.id == live.id
            return
        made = One(answer.action.id, way_back.kind, one.agent, State.SCHEDULED)
        made.compensates = one.id
        self.model.rows[made.id] = made

    @precondition(lambda self: self.any(*RAN_OUT))
    @rule(number=nth, who=staff, loses=seldom)
    def again(self, number: int, who: Caller, loses: bool) -> None:
        """A new action, through the policy, without what the first one waited for."""
        one = self.model.rows[self.pick(number, *RAN_OUT)]
        wanted = self._again_refused(one)
        answer = self.ask(lambda: again(self.desks[0], one.id, who), loses=loses)
        if wanted is not None:
            assert type(answer) is wanted, answer
            return
        assert isinstance(answer, DraftResult), answer
        assert answer.created
        self.model.rows[answer.action.id] = One(
            answer.action.id,
            one.kind,
            one.agent,
            self.model.begins(one.kind),
            quantity=one.quantity,
            compensates=one.compensates,
            again_of=one.id,
            texts=list(one.texts),
        )

    def _again_refused(self, one: One) -> type[DeskError] | None:
        if one.state not in RAN_OUT:
            return WrongState
        if self.model.mode(one.kind) == "off":
            return KindOff
        if one.kind == "exchange" and one.quantity > self.model.available:
            return OutOfStock
        repeated = self.model.live(again_of=one.id)
        if one.compensates is not None:
            repeated = repeated or self.model.live(compensates=one.compensates, kind=one.kind)
        return None if repeated is None else WrongState
