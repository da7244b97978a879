"""Previews: each example is what `decide()` says, none is left out that it would tell apart."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.deciding import ON, policies
from webapp.domain.decision import decide
from webapp.domain.errors import KindOff
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.policy import Mode, Policy
from webapp.domain.preview import Case, preview
from webapp.domain.rules import Facts, Past
from webapp.domain.times import SECOND
from webapp.services.preview import FirstViews
from webapp.web.pages.preview_words import immediate, line, warnings

NOW = 1_700_000_000 * SECOND
USUAL = (30_000, "INR")
AMOUNTS = {"refund": "amount", "exchange": "charge", "webhook": "", "label": "", "reply": ""}


def words(kind: str, **row: Any) -> list[str]:
    policy = Policy.model_validate(row)
    cases = preview(KINDS[kind], policy, NOW, USUAL)
    return [line(KINDS[kind], case, eyes=policy.needs_eyes).words for case in cases]


def speak_against(kind: str, views: FirstViews | None = None, **row: Any) -> str:
    return " ".join(warnings(KINDS[kind], Policy.model_validate(row), views))


def asked(kind: str, policy: Policy, case: Case) -> object:
    """`decide()` asked here, about a payload of our own."""
    payload: dict[str, Any] = {"undo": {"url": "https://x"}} if case.words == "with an undo" else {}
    if case.amount:
        payload[AMOUNTS[kind]] = {"value": case.amount[0], "currency": case.amount[1]}
    try:
        return decide(
            policy, Facts(KINDS[kind], payload, NOW, case.other.flagged, past=case.other.past)
        )
    except KindOff:
        return None


@settings(max_examples=60)
@given(policy=policies([*ON, Mode.OFF]), kind=st.sampled_from(DRAFTED))
def test_every_example_is_what_decide_says(policy: Policy, kind: str) -> None:
    """Issue 4, 7: built from `decide()`, never a second rule."""
    cases = preview(KINDS[kind], policy, NOW, USUAL)
    assert cases
    assert [case.decision for case in cases] == [asked(kind, policy, case) for case in cases]
    assert [case.other.flagged for case in cases] == [False] * (len(cases) - 1) + [True]


@settings(max_examples=60)
@given(policy=policies(), value=st.integers(1, 3_000), code=st.sampled_from(["INR", "JPY", "USD"]))
def test_no_outcome_of_an_amount_is_missing(policy: Policy, value: int, code: str) -> None:
    """Whatever an agent may draft, the preview has shown where that ends."""
    cases = preview(KINDS["refund"], policy, NOW, USUAL)
    payload = {"amount": {"value": value, "currency": code}}
    quiet = Past(drafted=0, spent=0)
    decision = decide(policy, Facts(KINDS["refund"], payload, NOW, past=quiet))
    shown = {(case.decision.state, case.decision.window) for case in cases if case.decision}
    assert (decision.state, decision.window) in shown


def test_the_bands_of_amounts_stand_with_their_ends() -> None:
    """As in the issue: in plain language, to the minor unit."""
    assert words(
        "refund", mode="window", approval_above="500000:INR", long_window_above="30000:INR"
    ) == [
        "A refund of 300.00 INR runs after 5 min, unless somebody cancels.",
        "A refund of 5,000.00 INR runs after 15 min, unless somebody cancels.",
        "A refund of 5,000.01 INR waits for approval.",
        "A refund of 300.00 USD waits for approval.",
        "A refund of 300.00 INR for a flagged customer waits for approval.",
    ]


@pytest.mark.parametrize(
    ("kind", "row", "said"),
    [
        (
            "refund",
            {"mode": "approval"},
            [
                "A refund of 300.00 INR waits for approval.",
                "A refund of 300.00 INR for a flagged customer waits for approval.",
            ],
        ),
        (
            "label",
            {"mode": "off"},
            ["A return label is refused.", "A return label for a flagged customer is refused."],
        ),
        (
            "webhook",
            {"mode": "immediate", "flagged": "same"},
            [
                "A webhook with an undo runs at once, and nobody has time to cancel.",
                "A webhook without an undo waits for approval.",
                (
                    "A webhook with an undo for a flagged customer runs at once, "
                    "and nobody has time to cancel."
                ),
            ],
        ),
        (
            "exchange",
            {"mode": "window", "approval_above": "0:INR", "flagged": "same"},
            [
                "An exchange runs after 5 min, unless somebody cancels.",
                "An exchange with a charge of 0.01 INR waits for approval.",
                "An exchange with a charge of 300.00 USD waits for approval.",
                "An exchange for a flagged customer runs after 5 min, unless somebody cancels.",
            ],
        ),
    ],
)
def test_the_sentences(kind: str, row: dict[str, Any], said: list[str]) -> None:
    assert words(kind, **row) == said


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_examples(kind: str) -> None:
    """Ways back too; with an amount where the kind has one."""
    cases = preview(KINDS[kind], Policy(mode=Mode.WINDOW), NOW, USUAL)
    assert any(case.amount for case in cases) == KINDS[kind].says("amount")


def test_what_the_other_rules_look_for_is_shown() -> None:
    """Issue 4, 7: "a refund for a new customer waits for approval"."""
    said = words(
        "refund",
        mode="window",
        first_of_kind="approval",
        likely_duplicate="long_window",
        burst="20/60",
        spend="500000:INR/3600",
        flagged="same",
    )
    assert said == [
        "A refund of 5,000.00 INR runs after 5 min, unless somebody cancels.",
        "A refund of 5,000.01 INR is held, with all that its agent has scheduled.",
        "A refund of 300.00 USD waits for approval.",
        "A refund of 5,000.00 INR for a new customer waits for approval.",
        "A refund of 5,000.00 INR by a new agent waits for approval.",
        (
            "A refund of 5,000.00 INR like another of the same order runs after 15 min, "
            "unless somebody cancels."
        ),
        (
            "A refund of 5,000.00 INR beyond what its agent may draft is held, "
            "with all that its agent has scheduled."
        ),
        (
            "A refund of 5,000.00 INR beyond what its agent may spend is held, "
            "with all that its agent has scheduled."
        ),
        (
            "A refund of 5,000.00 INR for a flagged customer runs after 5 min, "
            "unless somebody cancels."
        ),
    ]


def test_shadow_and_desk_hours_are_said() -> None:
    """What a window would do, and when windows count."""
    assert words("label", mode="shadow", desk_hours="Mon-Fri 09:00-18:00")[0] == (
        "A return label waits for approval; a window would say: "
        "runs after 5 min of desk hours, unless somebody cancels."
    )


def test_immediate_warns_where_it_cannot_be_taken_back() -> None:
    """Issue 4, 1."""
    assert "It cannot be taken back: a sent mail" in immediate(KINDS["reply"])
    assert immediate(KINDS["reply.correction"]).endswith("It cannot be taken back.")
    assert "Take the refund back" in immediate(KINDS["refund"])
    assert "without an undo runs at once too" in speak_against(
        "webhook", mode="immediate", allow_no_undo="yes"
    )
    assert "without an undo" not in speak_against("webhook", mode="immediate")
    assert speak_against("refund", mode="approval") == ""


def test_a_window_warns_where_it_is_the_wrong_tool() -> None:
    """Issue 4, 1: easy to take back, and waited for."""
    label = speak_against("label", mode="window", window_seconds=60)
    assert "easy to take back (“Void the label”)" in label
    assert "The customer waits for it: 1 min longer" in label
    assert "easy to take back" in speak_against("exchange", mode="window")
    assert "customer waits" in speak_against("reply", mode="window")
    assert speak_against("refund", mode="window") == ""
    assert speak_against("label", mode="approval") == ""


def test_a_window_warns_where_most_look_later() -> None:
    """Issue 4, 1: more than half, not half."""
    late = FirstViews(seen=21, late=11, half=400 * SECOND + 1)
    assert speak_against("refund", late, mode="window", window_seconds=120) == (
        "Most would run unseen: of the last 21 that somebody looked at, 11 were first seen after "
        "more than 2 min. Half were seen within 6 min 41 s."
    )
    even = FirstViews(seen=20, late=10, half=SECOND)
    assert speak_against("refund", even, mode="window") == ""
    assert "Most" not in speak_against("refund", late, mode="immediate")


def test_nothing_is_said_to_run_that_would_be_held_for_eyes() -> None:
    """Issue 4, 3: eyes come after the decision, and make the rule another one."""
    held = "is held for a person: at once is before anybody can see it"
    assert words("reply", mode="immediate", needs_eyes="yes", flagged="same") == [
        f"A reply {held}.",
        f"A reply for a flagged customer {held}.",
    ]
    unless = "runs after 5 min, unless somebody cancels or nobody has seen it"
    assert words("reply", mode="window", needs_eyes="yes")[0] == f"A reply {unless}."
    shadow = words("reply", mode="shadow", needs_eyes="yes")[0]
    assert shadow == f"A reply waits for approval; a window would say: {unless}."
