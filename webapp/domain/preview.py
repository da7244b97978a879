"""What a policy would do, by example: `decide()` itself, asked about drafts that nobody made."""

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.domain.errors import KindOff
from webapp.domain.kinds.base import Example, Kind
from webapp.domain.policy import Decision, Facts, Policy, decide

Money = tuple[int, str]
"""Minor units and currency."""

OTHER = ("USD", "EUR")
"""A currency to show that one without a limit waits: the first that has none."""


@dataclass(frozen=True, slots=True)
class Case:
    """One draft, and what `decide()` says of it; None: it is refused, the kind is off."""

    words: str
    """What sets its payload apart; may be empty."""
    amount: Money | None
    flagged: bool
    decision: Decision | None


def preview(kind: Kind, policy: Policy, now: int, usual: Money) -> list[Case]:
    """Every band of amounts that the policy tells apart, then a flagged customer's.

    `usual` is an amount of the kind, for where no limit says which are worth showing. What
    stands for a band is its largest amount; above the last limit it is one minor unit more. Where
    all end alike, two are enough. Time in UTC microseconds.
    """
    drafts = [
        (example, amount)
        for example in kind.examples
        for amount in (_amounts(policy, usual) if example.priced else [None])
    ]
    cases = [_case(kind, policy, now, *draft, flagged=False) for draft in drafts]
    cases.append(_case(kind, policy, now, *drafts[0], flagged=True))
    alike = len({_outcome(case) for case in cases}) == 1
    return [cases[0], cases[-1]] if alike else cases


def _outcome(case: Case) -> tuple[object, ...]:
    one = case.decision
    return () if one is None else (one.state, one.mode, one.window)


def _amounts(policy: Policy, usual: Money) -> Iterator[Money]:
    limits = [limit for limit in (policy.approval_above, policy.long_window_above) if limit]
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
    kind: Kind, policy: Policy, now: int, example: Example, amount: Money | None, *, flagged: bool
) -> Case:
    payload = example.payload if amount is None else example.with_amount(*amount)
    try:
        decision = decide(policy, Facts(kind, dict(payload), now, flagged))
    except KindOff:
        decision = None
    return Case(example.words, amount, flagged, decision)
