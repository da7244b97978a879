"""Rules of those who cancel: agents and staff, with keys, and the same key once more."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.machine.base import AGENTS, STAFF, Base, nth, seldom, shown
from webapp.domain.errors import Changed, DeskError, NotCancellable, NotFound
from webapp.domain.states import CANCELLABLE, TOO_LATE, State
from webapp.services.caller import Caller
from webapp.services.cancel import AlreadyCancelled, Cancelled, CancelTooLate, Outcome, cancel

_WHO = (*STAFF, *(Caller.agent(agent) for agent in AGENTS))


@dataclass(frozen=True, slots=True)
class Answered:
    """A cancel with a key, and what it was told."""

    action: str
    who: Caller
    key: str
    told: Outcome


class Cancels(Base):
    """Anybody may cancel; an agent only its own."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.answered: list[Answered] = []

    @precondition(lambda self: self.model.rows)
    @rule(number=nth, who=st.sampled_from(_WHO), behind=shown, late=st.booleans(), loses=seldom)
    def cancel(self, number: int, who: Caller, behind: int | None, late: bool, loses: bool) -> None:
        """Promise 2: the state decides, whatever the clock says. A late one is kept."""
        states = (State.EXECUTING, State.UNKNOWN) if late else CANCELLABLE
        one = self.pick(number, *states)
        row, key, seen = self.model.rows[one], f"c{next(self.number)}", self.version(one, behind)
        desk = self.desks[0]
        answer = self.ask(
            lambda: cancel(desk, one, who, reason="because", key=key, seen=seen), loses=loses
        )
        if not isinstance(answer, DeskError):
            self.answered.append(Answered(one, who, key, answer))
        if who.owner not in (None, row.agent):
            assert type(answer) is NotFound, answer
        elif row.state in TOO_LATE:
            assert isinstance(answer, CancelTooLate), answer
            assert answer.state is row.state
            assert answer.cancel_recorded is (row.state is not State.EXECUTED)
            row.late = True
        elif row.state is State.CANCELLED:
            assert isinstance(answer, AlreadyCancelled), answer
        elif behind:
            assert type(answer) is Changed, answer
        elif row.state in CANCELLABLE:
            assert isinstance(answer, Cancelled), answer
            assert set(answer.also_cancelled) == self.model.end(one, State.CANCELLED)
        else:
            assert type(answer) is NotCancellable, answer

    @precondition(lambda self: self.answered)
    @rule(number=nth)
    def cancel_again(self, number: int) -> None:
        """Promise 9: the same key is told the same, whatever became of the action."""
        first = self.answered[-1 - number % len(self.answered)]
        again = self.ask(
            lambda: cancel(self.desks[1], first.action, first.who, reason="x", key=first.key)
        )
        assert not isinstance(again, DeskError), again
        assert _told(again) == _told(first.told)


def _told(answer: Outcome) -> Any:
    """What the caller reads of an answer that does not change afterwards."""
    if isinstance(answer, Cancelled):
        return answer.receipt, answer.also_cancelled, answer.action.version
    if isinstance(answer, AlreadyCancelled):
        return answer.action.cancelled_by, answer.action.cancelled_at
    return answer.receipt, answer.state, answer.cancel_recorded
