"""`decide()`: the only reader of modes. Where a draft begins, when it runs, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from webapp.domain.errors import KindOff
from webapp.domain.hours import DeskHours, add_open
from webapp.domain.policy import Mode, Policy
from webapp.domain.rules import Facts, approvals, below, breaker, longer, marks
from webapp.domain.states import State
from webapp.domain.times import SECOND, maybe_rfc3339


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a draft begins, and why. Durations and times in microseconds."""

    state: State
    mode: Mode
    because: tuple[str, ...]
    window: int
    margin: int
    cancel_by: int | None = None
    execute_at: int | None = None
    counted: tuple[str, str] | None = None
    """The desk hours that the window counts in, and the name of their zone."""
    trips: tuple[str, ...] = ()
    """Which limits of its agent's are passed: what that agent has scheduled is to be held."""
    instead: "Decision | None" = None
    """In shadow: what the window would have done."""

    def as_json(self) -> dict[str, Any]:
        """As the row keeps it; what does not apply is left out."""
        found: dict[str, Any] = {"mode": self.mode.value, "because": list(self.because)}
        if self.counted is not None:
            found |= dict(zip(("desk_hours", "timezone"), self.counted, strict=True))
        if self.trips:
            found["breaker"] = True
        if self.instead is not None:
            found["would_have"] = {
                "state": self.instead.state.value,
                "cancel_by": maybe_rfc3339(self.instead.cancel_by),
                "execute_at": maybe_rfc3339(self.instead.execute_at),
            }
        return found


def decide(policy: Policy, facts: Facts) -> Decision:
    """Mode, window and reasons for one draft: the strictest rule wins, each leaves its sentence.

    Approval is stricter than the breaker's hold, which a release ends without an approval; then
    the longer window, the window, at once. Raises KindOff. The agent can make it later
    (`not_before`), never sooner.
    """
    if policy.mode is Mode.OFF:
        raise KindOff(f"{facts.kind.label} is switched off: an admin has to switch it on first.")
    if policy.mode is Mode.SHADOW:
        return _shadow(policy, facts)
    stops, longs = breaker(policy, facts), longer(policy, facts)
    if waits := approvals(policy, facts):
        because = dict.fromkeys((*waits, *stops, *longs, *marks(policy, facts)))
        return _waits(policy, Mode.APPROVAL, tuple(because), trips=tuple(stops))
    because = dict.fromkeys((*stops, *longs, *marks(policy, facts), *below(policy, facts)))
    if policy.mode is Mode.IMMEDIATE and not longs:
        said = (*because, "immediate: neither window nor margin")
        return _runs(policy, facts, Mode.IMMEDIATE, said, 0, 0, stops)
    seconds = policy.long_window_seconds if longs else policy.window_seconds
    hours = policy.desk_hours if seconds else None
    counted = f", counted {hours} in {facts.zone}" if hours else ""
    said = (*because, f"window of {seconds} s{counted}")
    window, margin = seconds * SECOND, policy.margin_seconds * SECOND
    return _runs(policy, facts, Mode.WINDOW, said, window, margin, stops)


def schedule(
    now: int,
    window: int,
    margin: int,
    not_before: int | None,
    hours: DeskHours | None = None,
    zone: tzinfo = UTC,
) -> tuple[int, int]:
    """`cancel_by` and `execute_at`; `not_before` moves both, never nearer.

    With `hours` the window counts only while the desk is open, by the clocks of `zone`.
    """
    shown = now + window if hours is None else add_open(now, window, hours, zone)
    execute_at = max(shown + margin, not_before or 0)
    return execute_at - margin, execute_at


def _runs(
    policy: Policy,
    facts: Facts,
    mode: Mode,
    because: tuple[str, ...],
    window: int,
    margin: int,
    stops: Sequence[str],
) -> Decision:
    """Scheduled; or held, where its agent is stopped: then it has a window and no time yet."""
    hours = policy.desk_hours if window else None
    counted = (str(hours), str(facts.zone)) if hours else None
    if stops:
        return Decision(
            State.HELD, mode, because, window, margin, counted=counted, trips=tuple(stops)
        )
    times = schedule(facts.now, window, margin, facts.not_before, hours, facts.zone)
    return Decision(State.SCHEDULED, mode, because, window, margin, *times, counted=counted)


def _waits(
    policy: Policy, mode: Mode, because: tuple[str, ...], *, trips: tuple[str, ...], **more: Any
) -> Decision:
    window, margin = policy.approved_window_seconds * SECOND, policy.margin_seconds * SECOND
    return Decision(State.AWAITING_APPROVAL, mode, because, window, margin, trips=trips, **more)


def _shadow(policy: Policy, facts: Facts) -> Decision:
    instead = decide(policy.model_copy(update={"mode": Mode.WINDOW}), facts)
    *rules, last = instead.because
    if instead.state is State.SCHEDULED:
        last = f"instead of: {last}"
    because = ("this kind is in shadow: it needs approval", *rules, last)
    return _waits(policy, Mode.SHADOW, because, trips=instead.trips, instead=instead)


def approve_by(policy: Policy, decision: Decision, now: int) -> int | None:
    """When a draft that waits for a decision is rejected by itself."""
    waits = decision.state is State.AWAITING_APPROVAL
    return now + policy.approval_ttl_seconds * SECOND if waits else None
