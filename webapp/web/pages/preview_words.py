"""A policy by example, and what speaks against it, in plain sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.domain.decision import Decision
from webapp.domain.kinds.base import Kind
from webapp.domain.policy import Mode, Policy
from webapp.domain.preview import Case
from webapp.domain.states import State
from webapp.domain.times import SECOND, duration
from webapp.services.preview import FirstViews
from webapp.web.pages.policy_words import HELD_AT_ONCE, called, limits


@dataclass(frozen=True, slots=True)
class Line:
    """One example: the sentence, and the rules that decided."""

    words: str
    why: str


def line(kind: Kind, case: Case, *, eyes: bool = False) -> Line:
    """`A refund of 4,200.00 INR for a flagged customer waits for approval.`

    `eyes`: what nobody has seen when its time comes is held, which no decision says.
    """
    amount = f" of {limits({case.amount[1]: case.amount[0]})}" if case.amount else ""
    if case.words and case.amount:
        amount = f" {case.words}{amount}"
    elif case.words:
        amount = f" {case.words}"
    other = f" {case.other.words}" if case.other.words else ""
    why = ", ".join(case.decision.because) if case.decision else ""
    return Line(f"{called(kind)}{amount}{other} {_outcome(case.decision, eyes)}.", why)


def _outcome(decision: Decision | None, eyes: bool) -> str:
    if decision is None:
        return "is refused"
    if decision.instead is not None:
        return f"waits for approval; a window would say: {_outcome(decision.instead, eyes)}"
    if decision.state is State.AWAITING_APPROVAL:
        return "waits for approval"
    if decision.state is State.HELD:
        return "is held, with all that its agent has scheduled"
    if decision.mode is Mode.IMMEDIATE:
        return HELD_AT_ONCE if eyes else "runs at once, and nobody has time to cancel"
    hours = " of desk hours" if decision.counted else ""
    unless = "unless somebody cancels or nobody has seen it" if eyes else "unless somebody cancels"
    return f"runs after {duration(decision.window // SECOND)}{hours}, {unless}"


def warnings(kind: Kind, policy: Policy, views: FirstViews | None) -> Iterator[str]:
    """Where the settings are the wrong tool for this kind; `immediate` stands by the mode."""
    if policy.mode is Mode.IMMEDIATE and kind.says("no_undo") and policy.allow_no_undo:
        yield "One without an undo runs at once too, and cannot be taken back at all."
    if policy.mode is not Mode.WINDOW:
        return
    window = duration(policy.window_seconds)
    if views is not None and views.too_late:
        yield (
            f"Most would run unseen: of the last {views.seen} that somebody looked at, "
            f"{views.late} were first seen after more than {window}. "
            f"Half were seen within {duration(-(-views.half // SECOND))}."
        )
    if kind.way_back is not None and kind.way_back.easy:
        yield (
            f"It is easy to take back (“{kind.way_back.label}”): a window makes every one later "
            "for the few that somebody would cancel."
        )
    if kind.awaited:
        yield f"The customer waits for it: {window} longer, each time."


def immediate(kind: Kind) -> str:
    """What `immediate` means for this kind's effect."""
    words = "Immediate leaves nobody any time: the first that people see of it is that it ran."
    back = kind.way_back
    if back is None:
        return f"{words} It cannot be taken back."
    if not back.reverses:
        return f"{words} It cannot be taken back: {_lower(back.explain)}"
    return f"{words} What is left then is “{back.label}”: {_lower(back.explain)}"


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
