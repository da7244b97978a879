"""What a policy row means, in sentences."""

import pytest

from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy, default_policy
from webapp.domain.times import duration
from webapp.web.pages.policy_words import sentences


@pytest.mark.parametrize(
    ("kind", "row", "words"),
    [
        ("refund", {"mode": "off"}, "A refund is refused when it is drafted."),
        ("exchange", {"mode": "approval"}, "An exchange waits for approval."),
        (
            "refund",
            {"mode": "window", "approval_above": "500000:INR,5000:USD"},
            (
                "A refund up to 5,000.00 INR or 50.00 USD runs 5 min after drafting, "
                "unless somebody cancels; above it waits for approval."
            ),
        ),
        (
            "reply",
            {"mode": "window", "window_seconds": 90},
            "A reply runs 1 min 30 s after drafting, unless somebody cancels.",
        ),
        (
            "label",
            {"mode": "immediate"},
            "A return label runs at once, and nobody has time to cancel.",
        ),
    ],
)
def test_the_rule_comes_first(kind: str, row: dict[str, object], words: str) -> None:
    assert sentences(KINDS[kind], Policy.model_validate(row))[0] == words


def test_what_differs_from_it_follows() -> None:
    row = {"mode": "window", "long_window_above": "7:JPY", "flagged": "long_window"}
    words = sentences(KINDS["webhook"], Policy.model_validate(row))
    assert words[1:] == [
        "Above 7 JPY it runs 15 min after drafting.",
        "In a currency without a limit it waits for approval.",
        "For a flagged customer it runs 15 min after drafting.",
        "Without an undo it waits for approval.",
        (
            "It runs 1 s after the countdown has ended, "
            "so that a click in the last moment still counts."
        ),
        "Once approved it runs 10 s later, unless somebody cancels.",
        "What nobody decides on within 1 d is rejected.",
        "If it was due for more than 1 h without being run, it is held for a person.",
    ]


def test_eyes_are_told_of_and_that_nothing_runs_at_once_then() -> None:
    said = "If it was on nobody's screen when its time comes, it is held for a person"
    row = {"mode": "window", "needs_eyes": "yes"}
    assert f"{said}." in sentences(KINDS["refund"], Policy.model_validate(row))
    at_once = Policy.model_validate(row | {"mode": "immediate"})
    assert f"{said}, so each one is." in sentences(KINDS["refund"], at_once)
    first = sentences(KINDS["refund"], at_once)[0]
    assert first == "A refund is held for a person: at once is before anybody can see it."


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_has_words(kind: str) -> None:
    assert all(sentences(KINDS[kind], default_policy(kind)))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59, "59 s"), (3_600, "1 h"), (90_061, "1 d 1 h 1 min 1 s")],
)
def test_durations(seconds: int, words: str) -> None:
    assert duration(seconds) == words
