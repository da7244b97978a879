"""What a person may do to an action, by its state: the one table for API and pages."""

from enum import StrEnum

from webapp.domain.states import CANCELLABLE, RAN_OUT, State


class Verb(StrEnum):
    """A button (`data-do`), and a resource below `/actions/ID/`."""

    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"
    EXTEND = "extend"
    RUN_NOW = "run-now"
    APPROVE = "approve"
    REJECT = "reject"
    COMPENSATE = "compensate"
    AGAIN = "again"
    RESOLVE = "resolve"


ALLOWED: dict[Verb, frozenset[State]] = {
    Verb.APPROVE: frozenset({State.AWAITING_APPROVAL}),
    Verb.REJECT: frozenset({State.AWAITING_APPROVAL}),
    Verb.RUN_NOW: frozenset({State.SCHEDULED}),
    Verb.EXTEND: frozenset({State.SCHEDULED}),
    Verb.HOLD: frozenset({State.SCHEDULED}),
    Verb.RELEASE: frozenset({State.HELD}),
    Verb.CANCEL: CANCELLABLE,
    Verb.COMPENSATE: frozenset({State.EXECUTED}),
    Verb.AGAIN: RAN_OUT,
    Verb.RESOLVE: frozenset({State.UNKNOWN}),
}


def verbs(state: State) -> tuple[Verb, ...]:
    """What `state` allows, in the order of the buttons."""
    return tuple(verb for verb, states in ALLOWED.items() if state in states)
