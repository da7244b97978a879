"""The states of an action and the arrows between them: the only place that names either."""

from enum import StrEnum


class State(StrEnum):
    """Where an action stands. Each comment says who moves it on."""

    AWAITING_APPROVAL = "awaiting_approval"  # staff decide, or the approval expires
    SCHEDULED = "scheduled"  # a worker claims it when due, unless a person is first
    HELD = "held"  # a person releases or cancels it
    EXECUTING = "executing"  # its worker finishes it, or the sweep takes it over
    EXECUTED = "executed"  # nobody: the provider took it
    CANCELLED = "cancelled"  # nobody
    REJECTED = "rejected"  # nobody
    FAILED = "failed"  # nobody: certainly without effect
    UNKNOWN = "unknown"  # a look-up at the provider, or a person

    @property
    def label(self) -> str:
        """The word that staff read."""
        return _LABELS[self]

    @property
    def words(self) -> str:
        """How a sentence goes on after "it is"."""
        return _WORDS.get(self, _LABELS[self].lower())


_LABELS = {
    State.AWAITING_APPROVAL: "Needs approval",
    State.SCHEDULED: "Scheduled",
    State.HELD: "Held",
    State.EXECUTING: "Running",
    State.EXECUTED: "Executed",
    State.CANCELLED: "Cancelled",
    State.REJECTED: "Rejected",
    State.FAILED: "Failed",
    State.UNKNOWN: "Outcome unknown",
}

_WORDS = {
    State.AWAITING_APPROVAL: "waiting for approval",
    State.UNKNOWN: "of unknown outcome",
}

TERMINAL = frozenset({State.EXECUTED, State.CANCELLED, State.REJECTED, State.FAILED})
"""States without a way out; what comes after is a new, linked action."""

CANCELLABLE = frozenset({State.AWAITING_APPROVAL, State.SCHEDULED, State.HELD})
"""States from which a cancel wins, whatever the clock says (promise 2)."""

TOO_LATE = frozenset({State.EXECUTING, State.EXECUTED, State.UNKNOWN})
"""States in which a cancel has lost: the effect happened, or may have."""

RAN_OUT = frozenset({State.CANCELLED, State.REJECTED, State.FAILED})
"""Terminal without an effect: `again` starts from here, dependants cannot live under it."""

FIRST = frozenset({State.AWAITING_APPROVAL, State.SCHEDULED, State.HELD})
"""States in which a draft may begin."""

ARROWS: frozenset[tuple[State, State]] = frozenset(
    {
        (State.AWAITING_APPROVAL, State.SCHEDULED),
        (State.AWAITING_APPROVAL, State.REJECTED),
        (State.AWAITING_APPROVAL, State.CANCELLED),
        (State.SCHEDULED, State.EXECUTING),
        (State.SCHEDULED, State.HELD),
        (State.SCHEDULED, State.CANCELLED),
        (State.HELD, State.SCHEDULED),
        (State.HELD, State.CANCELLED),
        (State.EXECUTING, State.EXECUTED),
        (State.EXECUTING, State.FAILED),
        (State.EXECUTING, State.UNKNOWN),
        (State.EXECUTING, State.SCHEDULED),
        (State.EXECUTING, State.CANCELLED),
        (State.UNKNOWN, State.EXECUTED),
        (State.UNKNOWN, State.FAILED),
        (State.UNKNOWN, State.CANCELLED),
    }
)
"""Every arrow that changes the state. The database refuses all others (store/ddl.py)."""
