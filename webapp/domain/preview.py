"""What a policy would do, by example: `decide()` itself, asked about drafts that nobody made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from webapp.domain.decision import Decision, decide
from webapp.domain.errors import KindOff
from webapp.domain.kinds.base import Example, Kind
from webapp.domain.policy import Policy
from webapp.domain.rules import NOTHING_PAST, Facts, Past

Money = tuple[int, str]
"""Minor units and currency."""

OTHER = ("USD", "EUR")
"""A currency to show that one without a limit waits: the first that has none."""


@dataclass(frozen=True, slots=True)
class Other:
    """What sets a draft apart that is not in its payload."""

    words: str
    past: Past
    flagged: bool = False


_QUIET = Past(drafted=0, spent=0)
"""Of an agent that has drafted nothing lately."""


@dataclass(frozen=True, slots=True)
class Case:
    """One draft, and what `decide()` says of it; None: it is refused, the kind is off."""

    words: str
    """What sets its payload apart; may be empty."""
    amount: Money | None
    other: Other
    decision: Decision | None


def preview(kind: Kind, policy: Policy, now: int, usual: Money, zone: tzinfo = UTC) -> list[Case]:
    """Every band of amounts that the policy tells apart, then all that its other rules look for.

    `usual` is an amount of the kind, for where no limit says which are worth showing. What
    stands for a band is its largest amount; above the last limit it is one minor unit more. Where
    all end alike, two are enough. Time in UTC microseconds; `zone` is the desk's.
    """
    drafts = [
        (example, amount)
        for example in kind.examples
        for amount in (_amounts(policy, usual) if example.priced else [None])
    ]
    # nobody's limits hold for a way back: people draft it
    quiet = NOTHING_PAST if kind.repairs else _QUIET
    asked = [(*draft, Other("", quiet)) for draft in drafts]
    asked += [(*drafts[0], other) for other in _others(kind, policy, quiet)]
    cases = [_case(policy, Facts(kind, {}, now, zone=zone), *one) for one in asked]
    alike = len({_outcome(case) for case in cases}) == 1
    return [cases[0], cases[-1]] if alike else cases


def _others(kind: Kind, policy: Policy, quiet: Past) -> Iterator[Other]:
    """What the row's rules look for; a flagged customer always, and last."""
    if policy.first_of_kind == "approval":
        yield Other("for a new customer", replace(quiet, first_for_customer=True))
        yield Other("by a new agent", replace(quiet, first_by_agent=True))
    if policy.likely_duplicate != "same" and kind.says("amount"):
        yield Other("like another of the same order", replace(quiet, duplicate=True))
    if policy.burst is not None and not kind.repairs:
        burst = policy.burst.count
        yield Other("beyond what its agent may draft", replace(quiet, drafted=burst))
    if policy.spend is not None and kind.says("amount") and not kind.repairs:
        most = max(policy.spend.limits.values())
        yield Other("beyond what its agent may spend", replace(quiet, spent=most))
    yield Other("for a flagged customer", quiet, flagged=True)


def _outcome(case: Case) -> tuple[object, ...]:
    one = case.decision
    return () if one is None else (one.state, one.mode, one.window, one.instead is None)


def _amounts(policy: Policy, usual: Money) -> Iterator[Money]:
    spend = policy.spend.limits if policy.spend else None
    limits = [one for one in (policy.approval_above, policy.long_window_above, spend) if one]
    if not limits:
        yield usual
        return
    currencies = sorted({code for limit in limits for code in limit})
    for code in currencies:
        bands = sorted({limit[code] for limit in limits if code in limit})
        yield from ((top, code) for top in bands if top > 0)
        yield bands[-1] + 1, code
    yield from [(usual[0], code) for code in OTHER if code not in currencies][:1]


def _case(
    policy: Policy, facts: Facts, example: Example, amount: Money | None, other: Other
) -> Case:
    payload = example.payload if amount is None else example.with_amount(*amount)
    known = replace(facts, payload=dict(payload), flagged=other.flagged, past=other.past)
    try:
        decision = decide(policy, known)
    except KindOff:
        decision = None
    return Case(example.words, amount, other, decision)
