"""`decide()`: what holds for every policy and every draft."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.unit.bodies import PAYLOADS
from tests.unit.deciding import NOW, ON, changed, drafts, policies, strictness
from webapp.domain.decision import decide
from webapp.domain.errors import KindOff
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode, Policy, default_policy
from webapp.domain.rules import Facts
from webapp.domain.states import FIRST, State
from webapp.domain.times import SECOND


@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_the_same_facts_get_the_same_decision(policy: Policy, facts: Facts) -> None:
    """Promise 15: what decided can be told afterwards, so it depends on nothing else."""
    decision = decide(policy, facts)
    assert decision == decide(policy, facts)
    assert decision.because
    assert decision.state in FIRST
    kept = decision.as_json()
    assert (kept["mode"], kept["because"]) == (decision.mode.value, [*decision.because])


@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_times_follow_from_window_and_margin(policy: Policy, facts: Facts) -> None:
    """CONTRACT, Policy: `cancel_by` = scheduled + window, `execute_at` = `cancel_by` + margin."""
    decision = decide(policy, facts)
    if decision.state is not State.SCHEDULED:
        assert (decision.cancel_by, decision.execute_at) == (None, None)
        waits = decision.state is State.AWAITING_APPROVAL
        assert not waits or decision.window == policy.approved_window_seconds * SECOND
        return
    assert decision.cancel_by is not None
    assert decision.execute_at is not None
    assert decision.execute_at - decision.cancel_by == decision.margin
    assert decision.execute_at >= NOW + decision.window + decision.margin
    if facts.not_before is None and policy.desk_hours is None:
        assert decision.cancel_by == NOW + decision.window


@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_an_agent_can_make_it_later_never_sooner(policy: Policy, facts: Facts) -> None:
    """CONTRACT: `not_before` only lengthens; `execute_at` is never before it."""
    free, bound = decide(policy, changed(facts, not_before=None)), decide(policy, facts)
    assert strictness(free) == strictness(bound)
    if free.execute_at is not None:
        assert bound.execute_at == max(free.execute_at, facts.not_before or 0)


@settings(max_examples=40)
@given(policy=policies(), facts=drafts(), more=st.integers(1, 3_000))
def test_a_larger_amount_is_never_let_through_more_easily(
    policy: Policy, facts: Facts, more: int
) -> None:
    """CONTRACT: above means greater than; a rule by amount can only add eyes or time."""
    amount = facts.kind.amount(facts.payload)
    assume(amount is not None)
    assert amount is not None
    field = "amount" if facts.kind.name == "refund" else "charge"
    larger = facts.payload | {field: {"value": amount[0] + more, "currency": amount[1]}}
    assert strictness(decide(policy, changed(facts, payload=larger))) >= strictness(
        decide(policy, facts)
    )


@settings(max_examples=40)
@given(policy=policies(), facts=drafts(), mode=st.sampled_from(ON))
def test_the_strictest_rule_wins(policy: Policy, facts: Facts, mode: Mode) -> None:
    """DESIGN: the table decides; each rule alone is a lower bound of all together."""
    policy = policy.model_copy(update={"mode": mode})
    open_rules: dict[str, Any] = {
        "approval_above": None,
        "long_window_above": None,
        "flagged": "same",
        "first_of_kind": "same",
        "likely_duplicate": "same",
        "burst": None,
        "spend": None,
        "allow_no_undo": True,
    }
    together = decide(policy, facts)
    for rule in open_rules:
        alone = policy.model_copy(update={k: v for k, v in open_rules.items() if k != rule})
        assert strictness(together) >= strictness(decide(alone, facts))


@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_a_flagged_customer_is_never_let_through_more_easily(policy: Policy, facts: Facts) -> None:
    """CONTRACT, Policy: `flagged`."""
    flagged = decide(policy, changed(facts, flagged=True))
    assert strictness(flagged) >= strictness(decide(policy, changed(facts, flagged=False)))
    if policy.flagged == "approval":
        assert flagged.state is State.AWAITING_APPROVAL
        assert "flagged customer" in flagged.because
    if policy.flagged == "same":
        assert flagged == decide(policy, changed(facts, flagged=False))


@settings(max_examples=40)
@given(policy=policies([Mode.IMMEDIATE]), facts=drafts())
def test_immediate_has_neither_window_nor_margin(policy: Policy, facts: Facts) -> None:
    """CONTRACT, Policy: unless a rule asks for more, which `immediate` does not override."""
    decision = decide(policy, facts)
    if decision.mode is Mode.IMMEDIATE and decision.state is State.SCHEDULED:
        assert (decision.window, decision.margin) == (0, 0)
        assert decision.execute_at == max(NOW, facts.not_before or 0)
    else:
        assert strictness(decision) > (0, 0)


@settings(max_examples=40)
@given(policy=policies(), facts=drafts())
def test_an_amount_in_a_currency_without_a_limit_waits(policy: Policy, facts: Facts) -> None:
    """CONTRACT: once set, an amount in a currency not listed waits for approval."""
    amount = facts.kind.amount(facts.payload)
    for limits in (policy.approval_above, policy.long_window_above):
        if amount and limits and amount[1] not in limits:
            assert decide(policy, facts).state is State.AWAITING_APPROVAL
            return


@settings(max_examples=40)
@given(policy=policies([Mode.WINDOW, Mode.IMMEDIATE]), facts=drafts())
def test_a_webhook_without_undo_waits_unless_allowed(policy: Policy, facts: Facts) -> None:
    """Promise 12; CONTRACT, `allow_no_undo`."""
    if facts.kind.no_undo(facts.payload) and not policy.allow_no_undo:
        assert decide(policy, facts).state is State.AWAITING_APPROVAL


@settings(max_examples=40)
@given(policy=policies([Mode.OFF]), facts=drafts())
def test_a_kind_that_is_off_is_refused(policy: Policy, facts: Facts) -> None:
    """CONTRACT: 403, kind off."""
    with pytest.raises(KindOff, match=facts.kind.label):
        decide(policy, facts)


REFUND = Facts(KINDS["refund"], PAYLOADS["refund"], NOW)


@pytest.mark.parametrize(
    ("row", "state", "window", "because"),
    [
        ({"mode": "approval"}, "awaiting_approval", 10, ["this kind needs approval"]),
        ({"mode": "window"}, "scheduled", 300, ["window of 300 s"]),
        ({"mode": "immediate"}, "scheduled", 0, ["immediate: neither window nor margin"]),
        (
            {"mode": "window", "approval_above": "1249:INR"},
            "awaiting_approval",
            10,
            ["amount above 12.49 INR"],
        ),
        (
            {"mode": "window", "approval_above": "1250:INR"},
            "scheduled",
            300,
            ["amount up to 12.50 INR", "window of 300 s"],
        ),
        (
            {"mode": "window", "approval_above": "1251:INR"},
            "scheduled",
            300,
            ["amount under 12.51 INR", "window of 300 s"],
        ),
        (
            {"mode": "immediate", "long_window_above": "1000:INR"},
            "scheduled",
            900,
            ["amount above 10.00 INR", "window of 900 s"],
        ),
        (
            {"mode": "window", "approval_above": "9:USD"},
            "awaiting_approval",
            10,
            ["no limit is set for INR"],
        ),
    ],
)
def test_a_decision_says_why(
    row: dict[str, Any], state: str, window: int, because: list[str]
) -> None:
    """CONTRACT, `decision`; promise 15."""
    decision = decide(Policy.model_validate(row), REFUND)
    assert (decision.state, decision.window) == (state, window * SECOND)
    assert list(decision.because) == because


@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_before_an_admin_decides(kind: str) -> None:
    """CONTRACT: approval by default; a way back has ten seconds and waits for nobody."""
    policy = default_policy(kind)
    if KINDS[kind].repairs is None:
        assert policy == Policy()
        assert policy.mode is Mode.APPROVAL
    else:
        assert (policy.mode, policy.window_seconds) == (Mode.WINDOW, 10)
        facts = Facts(KINDS[kind], {"amount": None}, NOW, flagged=True)
        assert decide(policy, facts).state is State.SCHEDULED


@settings(max_examples=40)
@given(policy=policies())
def test_a_row_survives_being_written_and_read(policy: Policy) -> None:
    """The page, the command line and the table use the same words."""
    assert Policy.model_validate(policy.model_dump(mode="json")) == policy


@pytest.mark.parametrize(
    "row",
    [
        {"mode": "sometimes"},
        {"window_seconds": -1},
        {"window_seconds": 604_801},
        {"margin_seconds": 61},
        {"approved_window_seconds": 3_601},
        {"approval_above": "much"},
        {"flagged": "maybe"},
        {"allow_no_undo": "perhaps"},
        {"first_of_kind": "long_window"},
        {"likely_duplicate": "perhaps"},
        {"desk_hours": "office hours"},
        {"burst": "many"},
        {"spend": "5/60"},
        {"max_attempts": 0},
        {"window": 300},
        {"long_window_above": "5:INR", "window_seconds": 1_000, "long_window_seconds": 999},
        {"flagged": "long_window", "window_seconds": 1_000, "long_window_seconds": 999},
        {"likely_duplicate": "long_window", "window_seconds": 1_000, "long_window_seconds": 999},
        {"desk_hours": "Mon 09:00-09:01", "window_seconds": 604_800},
    ],
)
def test_a_bad_row_is_refused(row: dict[str, Any]) -> None:
    """CONTRACT, Policy per kind: ranges and words."""
    with pytest.raises(ValidationError):
        Policy.model_validate(row)
