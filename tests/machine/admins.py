"""Rules of admins and of time: policies, pauses, and the clock."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.machine.base import AGENTS, STAFF, Base
from tests.machine.seen import look
from webapp.domain.kinds.registry import DRAFTED
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import settings
from webapp.services.pause import pause, unpause
from webapp.store.pauses import GRACE_AT_MOST

SPANS = (0.001, 1, 11, 61, 130, 1_000, 90_000)
"""Seconds: less than anything, a margin, a short window, a lease, a look, overdue, a day."""

_NAMES = tuple(agent.name for agent in AGENTS)


class Admins(Base):
    """One admin, and the clock."""

    @rule(seconds=st.sampled_from(SPANS))
    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.db.set(self.db.at + round(seconds * SECOND))

    @rule(
        kind=st.sampled_from(DRAFTED),
        mode=st.sampled_from(("window", "window", "immediate", "approval", "off")),
        spares=st.booleans(),
        pauses=st.sampled_from((None, None, "everything", "kind", *_NAMES)),
    )
    def administer(self, kind: str, mode: str, spares: bool, pauses: str | None) -> None:
        """Ends a pause, begins one, or changes the policy of a kind."""
        if self.seen.pauses:
            self._unpause()
        elif pauses:
            agent = pauses if pauses in _NAMES else None
            kind_only = kind if pauses == "kind" else None
            pause(self.desks[1], STAFF[1], reason="look first", agent=agent, kind=kind_only)
        else:
            self._policy(kind, mode, spares=spares, holds=spares)

    def _policy(self, kind: str, mode: str, *, spares: bool, holds: bool) -> None:
        """What is scheduled stays as it was decided, unless it is held."""
        values = {"mode": mode, "on_parent_failed": "hold" if spares else "cancel"}
        holds = holds and mode == "off"
        by = STAFF[0].actor
        _, held = settings.change(self.desks[0], kind, values, by, hold_scheduled=holds)
        self.model.modes[kind] = mode
        (self.model.spares.add if spares else self.model.spares.discard)(kind)
        for one in self.model.rows.values():
            if holds and one.kind == kind and one.state is State.SCHEDULED:
                one.state = State.HELD
                held.remove(one.id)
        assert held == []

    def _unpause(self) -> None:
        """What fell due under it gets its grace."""
        one = self.seen.pauses[0]
        before, now = self.seen.rows, self.db.at
        unpause(self.desks[1], STAFF[1], one.id)
        after = {row.id: row.execute_at for row in look(self.db, 0).rows.values()}
        for row in before.values():
            named = one.agent in (None, row.agent) and one.kind in (None, row.kind)
            if row.state == State.SCHEDULED and row.execute_at <= now and named:
                assert after[row.id] == now + min(row.window, GRACE_AT_MOST)
            elif row.state == State.SCHEDULED:
                assert after[row.id] == row.execute_at
