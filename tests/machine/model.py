"""What must come of each call, in plain Python: states, links and stock, no times."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from webapp.domain.merging import WINDOWS
from webapp.domain.states import CANCELLABLE, RAN_OUT, State
from webapp.store.claims import Finish

Scope = tuple[str, str, str, str]
"""Kind, agent, customer and merge key: what may be joined."""


@dataclass
class One:
    """One action."""

    id: str
    kind: str
    agent: str
    state: State
    parents: set[str] = field(default_factory=set)
    quantity: int = 0
    attempt: int = 0
    late: bool = False
    """A cancel that lost was recorded."""
    compensates: str | None = None
    again_of: str | None = None
    scope: Scope | None = None
    texts: list[str] = field(default_factory=list)
    """What its drafts said, where they can be joined."""


@dataclass
class Model:
    """All actions, in the order of drafting, and the policy as far as it matters here."""

    modes: dict[str, str]
    spares: set[str] = field(default_factory=set)
    """Kinds that are held, not cancelled, under a failed parent."""
    rows: dict[str, One] = field(default_factory=dict)
    stock: int = 0
    """All that there is: available, or kept for an action."""

    def mode(self, kind: str) -> str:
        return self.modes.get(kind, "window")

    def begins(self, kind: str) -> State:
        return State.AWAITING_APPROVAL if self.mode(kind) == "approval" else State.SCHEDULED

    @property
    def available(self) -> int:
        """What no action keeps: one that was executed keeps it for good."""
        kept = (one.quantity for one in self.rows.values() if one.state not in RAN_OUT)
        return self.stock - sum(kept)

    def live(self, **link: str | None) -> One | None:
        """The compensation or repetition that stands in the way of another one."""
        return next(self._linked(**link), None)

    def joinable(self, scope: Scope | None) -> One | None:
        """The action that a draft of `scope` joins."""
        found = [
            one
            for one in self.rows.values()
            if scope is not None
            and one.scope == scope
            and (one.state, one.attempt) == (State.SCHEDULED, 0)
            and len(one.texts) < WINDOWS
        ]
        return max(found, key=lambda one: one.id) if found else None

    def release(self, action_id: str) -> None:
        """A person lets it go: what has failed no longer matters to it."""
        one = self.rows[action_id]
        one.state = State.SCHEDULED
        one.parents = {p for p in one.parents if self.rows[p].state is not State.FAILED}

    def end(self, action_id: str, state: State) -> set[str]:
        """It ended without an effect; the descendants that end with it."""
        self.rows[action_id].state = state
        spared = set()
        if state is State.FAILED:
            spared = {one.id for one in self._under({action_id}) if one.kind in self.spares}
        for child in spared:
            if self.rows[child].state is State.SCHEDULED:
                self.rows[child].state = State.HELD
        gone: set[str] = set()
        more = {one.id for one in self._under({action_id})} - spared
        while more:
            for child in more:
                self.rows[child].state = State.CANCELLED
            gone |= more
            more = {one.id for one in self._under(gone)}
        return gone

    def execute(self, action_id: str) -> None:
        """The effect happened."""
        one = self.rows[action_id]
        one.state = State.EXECUTED
        if one.kind == "exchange.restock" and one.compensates:
            self.stock += self.rows[one.compensates].quantity

    def finish(self, result: Finish) -> bool:
        """How an attempt ended; False: it is not the row's attempt any more."""
        one = self.rows[result.id]
        if (one.state, one.attempt) != (State.EXECUTING, result.attempt):
            return False
        if result.state is State.EXECUTED:
            self.execute(one.id)
        elif result.state is State.FAILED:
            self.end(one.id, State.FAILED)
        elif result.state is State.SCHEDULED and one.late:
            self.end(one.id, State.CANCELLED)
        else:
            one.state = result.state
        return True

    def did_not_happen(self, action_id: str) -> None:
        """An unknown outcome turned out to be none."""
        late = self.rows[action_id].late
        self.end(action_id, State.CANCELLED if late else State.FAILED)

    def _under(self, parents: set[str]) -> Iterator[One]:
        """The children of any of these that can still be cancelled."""
        for one in self.rows.values():
            if one.state in CANCELLABLE and not one.parents.isdisjoint(parents):
                yield one

    def _linked(self, **link: str | None) -> Iterator[One]:
        for one in self.rows.values():
            if one.state not in RAN_OUT and all(getattr(one, k) == v for k, v in link.items()):
                yield one
