"""The policy table: what one kind may do by itself, and `decide()`, the only reader of modes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer
from pydantic import model_validator as check

from webapp.domain.errors import KindOff
from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import KINDS
from webapp.domain.money import plain, thresholds, thresholds_text
from webapp.domain.states import State
from webapp.domain.times import SECOND


class Mode(StrEnum):
    """How a kind is let through."""

    OFF = "off"
    APPROVAL = "approval"
    WINDOW = "window"
    IMMEDIATE = "immediate"


_Week = Annotated[int, Field(ge=0, le=604_800)]
_Hour = Annotated[int, Field(ge=0, le=3_600)]
_Minute = Annotated[int, Field(ge=0, le=60)]


def _limits(text: object) -> object:
    if text is None or text == "" or text == "none":
        return None
    return thresholds(text) if isinstance(text, str) else text


def _yes_no(value: object) -> object:
    return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value


Limits = Annotated[
    dict[str, int] | None,
    BeforeValidator(_limits),
    PlainSerializer(lambda limits: thresholds_text(limits) if limits else None),
]
YesNo = Annotated[
    bool, BeforeValidator(_yes_no), PlainSerializer(lambda yes: "yes" if yes else "no")
]


class Policy(BaseModel):
    """One kind's row. Keys and defaults are those of the contract; texts are converted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Mode.APPROVAL
    window_seconds: _Week = 300
    margin_seconds: _Minute = 1
    approved_window_seconds: _Hour = 10
    approval_above: Limits = None
    long_window_above: Limits = None
    long_window_seconds: _Week = 900
    flagged: Literal["approval", "long_window", "same"] = "approval"
    needs_eyes: YesNo = False
    approval_ttl_seconds: Annotated[int, Field(ge=1, le=2_592_000)] = 86_400
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 5
    max_overdue_seconds: Annotated[int, Field(ge=1, le=604_800)] = 3_600
    on_parent_failed: Literal["cancel", "hold"] = "cancel"
    reservation_seconds: Annotated[int, Field(ge=1, le=604_800)] = 1_800
    allow_no_undo: YesNo = False

    @property
    def longest_window_seconds(self) -> int:
        """The longest window that a rule of this row may give."""
        return self.long_window_seconds if self._uses_long_window else self.window_seconds

    @property
    def _uses_long_window(self) -> bool:
        return bool(self.long_window_above) or self.flagged == "long_window"

    @check(mode="after")
    def _long_is_longer(self) -> Self:
        if self.long_window_seconds < self.window_seconds and self._uses_long_window:
            raise ValueError("long_window_seconds must not be shorter than window_seconds")
        return self


def default_policy(kind: str) -> Policy:
    """What holds before an admin decides: approval; ten seconds for a way back."""
    if KINDS[kind].repairs:
        return Policy(mode=Mode.WINDOW, window_seconds=10, flagged="same", allow_no_undo=True)
    return Policy()


@dataclass(frozen=True, slots=True)
class Facts:
    """What `decide()` may know of a draft. Times in UTC microseconds."""

    kind: Kind
    payload: dict[str, Any]
    now: int
    flagged: bool = False
    not_before: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a draft begins, and why. Durations and times in microseconds."""

    state: State
    mode: Mode
    because: tuple[str, ...]
    window: int
    margin: int
    cancel_by: int | None
    execute_at: int | None

    def as_json(self) -> dict[str, Any]:
        return {"mode": self.mode.value, "because": list(self.because)}


def decide(policy: Policy, facts: Facts) -> Decision:
    """Mode, window and reasons for one draft: the strictest rule wins.

    Raises KindOff. The agent can make it later (`not_before`), never sooner.
    """
    if policy.mode is Mode.OFF:
        raise KindOff(f"{facts.kind.label} is switched off: an admin has to switch it on first.")
    approval = [reason for reason in _approvals(policy, facts) if reason]
    if approval:
        return Decision(
            State.AWAITING_APPROVAL,
            Mode.APPROVAL,
            tuple(approval),
            policy.approved_window_seconds * SECOND,
            policy.margin_seconds * SECOND,
            None,
            None,
        )
    longer = [reason for reason in _longer(policy, facts) if reason]
    if policy.mode is Mode.IMMEDIATE and not longer:
        times = schedule(facts.now, 0, 0, facts.not_before)
        reason = (*_below(policy, facts), "immediate: neither window nor margin")
        return Decision(State.SCHEDULED, Mode.IMMEDIATE, reason, 0, 0, *times)
    seconds = policy.long_window_seconds if longer else policy.window_seconds
    window, margin = seconds * SECOND, policy.margin_seconds * SECOND
    because = (*longer, *_below(policy, facts), f"window of {seconds} s")
    times = schedule(facts.now, window, margin, facts.not_before)
    return Decision(State.SCHEDULED, Mode.WINDOW, because, window, margin, *times)


def schedule(now: int, window: int, margin: int, not_before: int | None) -> tuple[int, int]:
    """`cancel_by` and `execute_at`; `not_before` moves both, never nearer."""
    execute_at = max(now + window + margin, not_before or 0)
    return execute_at - margin, execute_at


def approve_by(policy: Policy, decision: Decision, now: int) -> int | None:
    """When a draft that waits for a decision is rejected by itself."""
    waits = decision.state is State.AWAITING_APPROVAL
    return now + policy.approval_ttl_seconds * SECOND if waits else None


def _approvals(policy: Policy, facts: Facts) -> list[str | None]:
    return [
        "this kind needs approval" if policy.mode is Mode.APPROVAL else None,
        _unlisted(policy.approval_above, facts) or _unlisted(policy.long_window_above, facts),
        _above(policy.approval_above, facts),
        "flagged customer" if facts.flagged and policy.flagged == "approval" else None,
        None if policy.allow_no_undo else facts.kind.no_undo(facts.payload),
    ]


def _longer(policy: Policy, facts: Facts) -> list[str | None]:
    return [
        _above(policy.long_window_above, facts),
        "flagged customer" if facts.flagged and policy.flagged == "long_window" else None,
    ]


def _unlisted(limits: dict[str, int] | None, facts: Facts) -> str | None:
    amount = facts.kind.amount(facts.payload)
    if limits and amount and amount[1] not in limits:
        return f"no limit is set for {amount[1]}"
    return None


def _above(limits: dict[str, int] | None, facts: Facts) -> str | None:
    amount = facts.kind.amount(facts.payload)
    if not limits or not amount:
        return None
    value, currency = amount
    limit = limits.get(currency)
    if limit is None or value <= limit:
        return None
    return f"amount above {plain(limit, currency)}"


def _below(policy: Policy, facts: Facts) -> tuple[str, ...]:
    amount = facts.kind.amount(facts.payload)
    limits = policy.approval_above or policy.long_window_above
    if not limits or not amount or _above(limits, facts):
        return ()
    value, currency = amount
    how = "under" if value < limits[currency] else "up to"
    return (f"amount {how} {plain(limits[currency], currency)}",)
