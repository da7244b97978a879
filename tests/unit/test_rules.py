"""The rules that look at earlier drafts, shadow, and the floor below which no rule goes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.bodies import PAYLOADS
from tests.unit.deciding import NOW, ON, changed, drafts, policies, strictness
from webapp.domain.decision import decide
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode, Policy
from webapp.domain.rules import Facts, Past
from webapp.domain.states import State
from webapp.domain.times import SECOND, to_rfc3339

FLOOR = {Mode.APPROVAL: (3, 0), Mode.SHADOW: (3, 0), Mode.IMMEDIATE: (0, 0)}
REFUND = Facts(KINDS["refund"], PAYLOADS["refund"], NOW)
DUPLICATE = "likely duplicate: same order, kind and amount within a day"


@settings(max_examples=60)
@given(policy=policies(), facts=drafts())
def test_nothing_is_weaker_than_the_kinds_floor(policy: Policy, facts: Facts) -> None:
    """Issue 4: never weaker than the kind's floor; a webhook without undo has one of its own."""
    decision = decide(policy, facts)
    assert strictness(decision) >= FLOOR.get(policy.mode, (1, policy.window_seconds * SECOND))
    if facts.kind.no_undo(facts.payload) and not policy.allow_no_undo:
        assert decision.state is State.AWAITING_APPROVAL


@settings(max_examples=60)
@given(
    policy=policies([Mode.WINDOW]),
    facts=drafts(),
    not_before=st.none() | st.integers(0, NOW + 10**12),
)
def test_no_field_of_the_agents_shortens_a_window(
    policy: Policy, facts: Facts, not_before: int | None
) -> None:
    """Issue 4: an agent can't set or shorten its window, by any field."""
    told = facts.payload | dict.fromkeys(("window_seconds", "window", "execute_at"), 0)
    asked = decide(policy, changed(facts, payload=told, not_before=not_before))
    plain = decide(policy, changed(facts, not_before=None))
    assert strictness(asked) == strictness(plain)
    assert (asked.execute_at or 0) >= (plain.execute_at or 0)
    assert asked.window >= min(policy.window_seconds, policy.approved_window_seconds) * SECOND


WORSE: list[dict[str, Any]] = [
    {"first_for_customer": True},
    {"first_by_agent": True},
    {"duplicate": True},
    {"drafted": 99},
    {"spent": 10_000},
]


@pytest.mark.parametrize("worse", WORSE, ids=str)
@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_what_is_known_of_the_past_only_adds(
    worse: dict[str, Any], policy: Policy, facts: Facts
) -> None:
    """DESIGN: the strictest wins: no fact ever opens what was closed."""
    known = {name: getattr(facts.past, name) for name in Past.__slots__} | worse
    assert strictness(decide(policy, changed(facts, past=Past(**known)))) >= strictness(
        decide(policy, changed(facts, past=facts.past))
    )


@settings(max_examples=60)
@given(policy=policies([Mode.SHADOW]), facts=drafts())
def test_shadow_waits_and_keeps_what_a_window_would_have_done(policy: Policy, facts: Facts) -> None:
    """CONTRACT: waits for approval like `approval`, and also records when a window would run it."""
    decision = decide(policy, facts)
    window = decide(policy.model_copy(update={"mode": Mode.WINDOW}), facts)
    assert (decision.state, decision.mode) == (State.AWAITING_APPROVAL, Mode.SHADOW)
    assert (decision.execute_at, decision.cancel_by) == (None, None)
    assert decision.instead == window
    assert decision.because[0] == "this kind is in shadow: it needs approval"
    kept = decision.as_json()["would_have"]
    assert kept["state"] == window.state
    if window.execute_at is not None and window.cancel_by is not None:
        assert kept["execute_at"] == to_rfc3339(window.execute_at)
        assert kept["cancel_by"] == to_rfc3339(window.cancel_by)
    else:
        assert (kept["execute_at"], kept["cancel_by"]) == (None, None)


@settings(max_examples=60)
@given(policy=policies(ON), facts=drafts())
def test_every_rule_that_holds_leaves_its_sentence(policy: Policy, facts: Facts) -> None:
    """Issue 4: strictest wins, each leaving its sentence in the action's decision."""
    because, past = decide(policy, facts).because, facts.past
    assert len(set(because)) == len(because)
    assert (DUPLICATE in because) == past.duplicate
    first = policy.first_of_kind == "approval"
    label = facts.kind.label.lower()
    assert (f"first {label} for this customer" in because) == (first and past.first_for_customer)
    assert (f"first {label} by this agent" in because) == (first and past.first_by_agent)
    over = policy.burst is not None and (past.drafted or 0) >= policy.burst.count
    assert (
        any(reason.startswith("breaker: ") and " INR" not in reason for reason in because) >= over
    )
    flagged = facts.flagged and policy.flagged != "same"
    assert ("flagged customer" in because) == flagged


@pytest.mark.parametrize(
    ("row", "past", "state", "because"),
    [
        (
            {"first_of_kind": "approval"},
            Past(first_for_customer=True, first_by_agent=True),
            "awaiting_approval",
            ["first refund for this customer", "first refund by this agent"],
        ),
        ({"likely_duplicate": "approval"}, Past(duplicate=True), "awaiting_approval", [DUPLICATE]),
        (
            {"likely_duplicate": "long_window"},
            Past(duplicate=True),
            "scheduled",
            [DUPLICATE, "window of 900 s"],
        ),
        ({}, Past(duplicate=True), "scheduled", [DUPLICATE, "window of 300 s"]),
        ({"burst": "3/60"}, Past(drafted=2), "scheduled", ["window of 300 s"]),
        (
            {"burst": "3/60"},
            Past(drafted=3),
            "held",
            ["breaker: more than 3 by this agent within 60 s", "window of 300 s"],
        ),
        ({"spend": "2000:INR/60"}, Past(spent=750), "scheduled", ["window of 300 s"]),
        (
            {"spend": "2000:INR/60"},
            Past(spent=751),
            "held",
            ["breaker: more than 20.00 INR by this agent within 60 s", "window of 300 s"],
        ),
        ({"burst": "3/60", "spend": "5:INR/60"}, Past(), "scheduled", ["window of 300 s"]),
        ({"spend": "9:USD/60"}, Past(), "awaiting_approval", ["no limit is set for INR"]),
        (
            {"burst": "3/60", "mode": "immediate"},
            Past(drafted=3),
            "held",
            [
                "breaker: more than 3 by this agent within 60 s",
                "immediate: neither window nor margin",
            ],
        ),
        (
            {"burst": "3/60", "mode": "approval", "long_window_above": "9:INR"},
            Past(drafted=3),
            "awaiting_approval",
            [
                "this kind needs approval",
                "breaker: more than 3 by this agent within 60 s",
                "amount above 0.09 INR",
            ],
        ),
        (
            {"mode": "shadow"},
            Past(),
            "awaiting_approval",
            ["this kind is in shadow: it needs approval", "instead of: window of 300 s"],
        ),
        (
            {"desk_hours": "Mon-Fri 09:00-18:00"},
            Past(),
            "scheduled",
            ["window of 300 s, counted Mon-Fri 09:00-18:00 in UTC"],
        ),
    ],
)
def test_a_decision_says_which(
    row: dict[str, Any], past: Past, state: str, because: list[str]
) -> None:
    """CONTRACT, Policy per kind; `spend` and `burst`: beyond the limit means greater than it."""
    decision = decide(Policy.model_validate({"mode": "window"} | row), changed(REFUND, past=past))
    assert (decision.state, list(decision.because)) == (state, because)
    assert bool(decision.trips) == any(reason.startswith("breaker") for reason in because)
