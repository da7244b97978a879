"""States, arrows and verbs are those of the design, written out once more."""

from itertools import product

import pytest

from webapp.domain.states import (
    ARROWS,
    CANCELLABLE,
    FIRST,
    RAN_OUT,
    TERMINAL,
    TOO_LATE,
    State,
)
from webapp.domain.verbs import ALLOWED, Verb, verbs

DESIGN = """
awaiting_approval -> scheduled rejected cancelled
scheduled         -> executing cancelled held
held              -> scheduled cancelled
executing         -> executed failed unknown scheduled cancelled
unknown           -> executed failed cancelled
executed          ->
cancelled         ->
rejected          ->
failed            ->
"""
"""The table "States and arrows"; `executing` again under a new attempt changes no state."""


def _design() -> set[tuple[State, State]]:
    rows = (line.split("->") for line in DESIGN.strip().splitlines())
    return {
        (State(source.strip()), State(target))
        for source, targets in rows
        for target in targets.split()
    }


def test_arrows_are_those_of_the_design() -> None:
    """DESIGN, States and arrows: the one table says what the paper says."""
    assert _design() == ARROWS


def test_terminal_states_are_those_without_a_way_out() -> None:
    """DESIGN: `executed cancelled rejected failed`; what comes after is a new action."""
    with_a_way_out = {source for source, _ in ARROWS}
    assert (
        set(State) - with_a_way_out == TERMINAL == {"executed", "cancelled", "rejected", "failed"}
    )


def test_cancel_wins_from_exactly_the_states_that_have_an_arrow_by_people() -> None:
    """Promise 2: state decides; a recorded cancel's arrows are the worker's, not the caller's."""
    to_cancelled = {source for source, target in ARROWS if target is State.CANCELLED}
    assert to_cancelled - {State.EXECUTING, State.UNKNOWN} == CANCELLABLE


def test_every_state_answers_a_cancel_in_exactly_one_way() -> None:
    """CASES dbos-inc/dbos-transact-py#767: won, too late, already, or nothing to cancel."""
    answers = [CANCELLABLE, TOO_LATE, frozenset({State.CANCELLED}), RAN_OUT - {State.CANCELLED}]
    assert [sum(state in answer for answer in answers) for state in State] == [1] * len(State)


def test_what_ran_out_is_terminal_without_an_effect() -> None:
    """DESIGN: `again` starts from cancelled, rejected, failed."""
    assert TERMINAL - {State.EXECUTED} == RAN_OUT


def test_a_draft_begins_where_the_design_says() -> None:
    """DESIGN: (draft) -> scheduled, awaiting_approval or held."""
    assert {State.SCHEDULED, State.AWAITING_APPROVAL, State.HELD} == FIRST
    assert TERMINAL.isdisjoint(FIRST)


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_word_of_its_own(state: State) -> None:
    """STYLE 2: one enum with value and label."""
    words = [other.label for other in State]
    assert state.label
    assert words.count(state.label) == 1


def test_scheduled_is_never_called_done() -> None:
    """DESIGN: *scheduled*, never *done*, until it is done."""
    assert {state for state in State if state.label in {"Done", "Executed"}} == {State.EXECUTED}


BUTTONS = {
    State.AWAITING_APPROVAL: {"approve", "reject", "cancel"},
    State.SCHEDULED: {"cancel", "hold", "extend", "run-now"},
    State.HELD: {"release", "cancel"},
    State.EXECUTING: set(),
    State.EXECUTED: {"compensate"},
    State.CANCELLED: {"again"},
    State.REJECTED: {"again"},
    State.FAILED: {"again"},
    State.UNKNOWN: {"resolve"},
}
"""CONTRACT, Browser and API: what each state offers."""


def test_each_state_offers_the_buttons_of_the_contract() -> None:
    """CONTRACT, Browser: `data-do` by state."""
    assert {state: set(verbs(state)) for state in State} == BUTTONS
    assert set(ALLOWED) == set(Verb)


def test_every_arrow_by_people_has_a_button() -> None:
    """DESIGN, who: an arrow that staff cause can be caused from the page."""
    by_people = {
        ("awaiting_approval", "scheduled"): Verb.APPROVE,
        ("awaiting_approval", "rejected"): Verb.REJECT,
        ("awaiting_approval", "cancelled"): Verb.CANCEL,
        ("scheduled", "cancelled"): Verb.CANCEL,
        ("scheduled", "held"): Verb.HOLD,
        ("held", "scheduled"): Verb.RELEASE,
        ("held", "cancelled"): Verb.CANCEL,
        ("unknown", "executed"): Verb.RESOLVE,
        ("unknown", "failed"): Verb.RESOLVE,
        ("unknown", "cancelled"): Verb.RESOLVE,
    }
    workers = {(s, t) for s, t in product(State, State) if State.EXECUTING in (s, t)}
    assert ARROWS - workers == by_people.keys()
    assert all(verb in verbs(State(source)) for (source, _), verb in by_people.items())
