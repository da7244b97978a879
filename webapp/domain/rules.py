"""The rules of a policy row: what each says of a draft, as the sentence that its decision keeps."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from webapp.domain.kinds.base import Kind
from webapp.domain.money import plain
from webapp.domain.policy import Mode, Policy

DAY = 86_400
"""Seconds within which a draft may be a duplicate of one before it."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the desk knows of earlier drafts. Only what the row's rules ask for is looked up."""

    first_for_customer: bool = False
    first_by_agent: bool = False
    duplicate: bool = False
    drafted: int | None = None
    """By this agent within the seconds of `burst`; None: no agent drafts it, or nobody looked."""
    spent: float | None = None
    """By this agent within the seconds of `spend`, in the draft's currency; None likewise."""


NOTHING_PAST = Past()


@dataclass(frozen=True, slots=True)
class Facts:
    """What `decide()` may know of a draft. Times in UTC microseconds; `zone` is the desk's."""

    kind: Kind
    payload: dict[str, Any]
    now: int
    flagged: bool = False
    not_before: int | None = None
    past: Past = NOTHING_PAST
    zone: tzinfo = UTC


def approvals(policy: Policy, facts: Facts) -> list[str]:
    """Why it waits for a person."""
    first = facts.past if policy.first_of_kind == "approval" else NOTHING_PAST
    label = facts.kind.label.lower()
    return _said(
        "this kind needs approval" if policy.mode is Mode.APPROVAL else None,
        _unlisted(policy.approval_above, facts)
        or _unlisted(policy.long_window_above, facts)
        or _unlisted(policy.spend.limits if policy.spend else None, facts),
        _above(policy.approval_above, facts),
        "flagged customer" if facts.flagged and policy.flagged == "approval" else None,
        f"first {label} for this customer" if first.first_for_customer else None,
        f"first {label} by this agent" if first.first_by_agent else None,
        _duplicate(facts) if policy.likely_duplicate == "approval" else None,
        None if policy.allow_no_undo else facts.kind.no_undo(facts.payload),
    )


def breaker(policy: Policy, facts: Facts) -> list[str]:
    """Why its agent is stopped: it drafts more than it may."""
    return _said(_bursts(policy, facts), _spends(policy, facts))


def longer(policy: Policy, facts: Facts) -> list[str]:
    """Why it gets the longer window."""
    return _said(
        _above(policy.long_window_above, facts),
        "flagged customer" if facts.flagged and policy.flagged == "long_window" else None,
        _duplicate(facts) if policy.likely_duplicate == "long_window" else None,
    )


def marks(policy: Policy, facts: Facts) -> list[str]:
    """What somebody should see, and changes nothing."""
    return _said(_duplicate(facts) if policy.likely_duplicate == "same" else None)


def below(policy: Policy, facts: Facts) -> list[str]:
    """Which limit it stays below."""
    amount = facts.kind.amount(facts.payload)
    limits = policy.approval_above or policy.long_window_above
    if not limits or not amount or _above(limits, facts):
        return []
    value, currency = amount
    how = "under" if value < limits[currency] else "up to"
    return [f"amount {how} {plain(limits[currency], currency)}"]


def _said(*sentences: str | None) -> list[str]:
    return [sentence for sentence in sentences if sentence]


def _duplicate(facts: Facts) -> str | None:
    words = "likely duplicate: same order, kind and amount within a day"
    return words if facts.past.duplicate else None


def _bursts(policy: Policy, facts: Facts) -> str | None:
    burst, drafted = policy.burst, facts.past.drafted
    if burst is None or drafted is None or drafted < burst.count:
        return None
    return f"breaker: more than {burst.count} by this agent within {burst.seconds} s"


def _spends(policy: Policy, facts: Facts) -> str | None:
    amount, spent = facts.kind.amount(facts.payload), facts.past.spent
    if policy.spend is None or not amount or spent is None:
        return None
    value, currency = amount
    limit = policy.spend.limits.get(currency)
    if limit is None or spent + value <= limit:
        return None
    return (
        f"breaker: more than {plain(limit, currency)} by this agent within {policy.spend.seconds} s"
    )


def _unlisted(limits: Mapping[str, int] | None, facts: Facts) -> str | None:
    amount = facts.kind.amount(facts.payload)
    if limits and amount and amount[1] not in limits:
        return f"no limit is set for {amount[1]}"
    return None


def _above(limits: Mapping[str, int] | None, facts: Facts) -> str | None:
    amount = facts.kind.amount(facts.payload)
    if not limits or not amount:
        return None
    value, currency = amount
    limit = limits.get(currency)
    if limit is None or value <= limit:
        return None
    return f"amount above {plain(limit, currency)}"
