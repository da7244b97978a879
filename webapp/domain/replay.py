"""A policy row run over what happened: the same `decide()`, asked again for each past action.

When people looked and when they said no is taken as it was: what they would have done under
another row nobody knows. Pauses, holds and dependencies are not played again.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from typing import Any

from webapp.domain.decision import Decision, decide
from webapp.domain.errors import KindOff
from webapp.domain.kinds.base import Kind, Payload
from webapp.domain.policy import Mode, Policy
from webapp.domain.replay_past import Memory, Recorded
from webapp.domain.rules import Facts, approvals
from webapp.domain.states import State

_NOBODY = ("policy", "worker:")
"""Who cancels or rejects without having looked."""


@dataclass(slots=True)
class Tally:
    """What the row would have made of them. In shadow: what its window would have."""

    actions: int = 0
    refused: int = 0
    approval: int = 0
    held: int = 0
    """By the breaker."""
    ran: int = 0
    """By themselves."""
    at_once: int = 0
    waited: int = 0
    """In a window."""
    seen: int = 0
    """Of those that waited: on somebody's screen before the window was over."""
    for_eyes: int = 0
    """Held when their time came: nobody had seen them, and the row asks for eyes."""
    stopped: int = 0
    """Of those not stopped by a rule: cancelled or rejected by somebody before they would run."""
    too_late: int = 0
    """Cancelled or rejected by somebody, but after they would have run."""
    ended: Counter[str] = field(default_factory=Counter)
    """What has become of them in fact, by state."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why they would have needed approval."""

    @property
    def unseen(self) -> int:
        """Of those that waited: nobody had them on screen in time."""
        return self.waited - self.seen

    def facts(self) -> list[tuple[str, int]]:
        """What has become of them in fact, in the words of the feed."""
        return [(state.label, self.ended[state]) for state in State if self.ended[state]]

    def figures(self) -> list[tuple[str, int]]:
        """The words of page and command for each figure, in order."""
        return [
            ("Would have run by themselves", self.ran),
            ("Would have waited in a window", self.waited),
            ("Seen before the window was over", self.seen),
            ("Not seen before the window was over", self.unseen),
            ("Would have been held, because nobody had seen them", self.for_eyes),
            ("Would have run at once", self.at_once),
            ("Would have needed approval", self.approval),
            ("Would have been held by the breaker", self.held),
            ("Would have been refused", self.refused),
            ("Cancels and rejections in time", self.stopped),
            ("Cancels and rejections that would have come too late", self.too_late),
        ]


class Replay:
    """One row over one history, action by action in the order of drafting."""

    def __init__(
        self, kind: Kind, policy: Policy, flagged: frozenset[str], zone: tzinfo = UTC
    ) -> None:
        self.tally = Tally()
        # What shadow keeps beside an approval is what the window says: asked once, not twice.
        shadow = policy.mode is Mode.SHADOW
        self._policy = policy.model_copy(update={"mode": Mode.WINDOW}) if shadow else policy
        self._flagged = flagged
        self._zone = zone
        self._reads = reads_payload(kind, policy)
        self._kind = kind if self._reads else replace(kind, amount=_as_recorded)
        self._memory = Memory(policy)

    def add(self, many: Iterable[Recorded]) -> None:
        """Count what the row would have made of the next ones."""
        for one in many:
            self._count(one)

    def _count(self, one: Recorded) -> None:
        tally = self.tally
        tally.actions += 1
        tally.ended[one.state] += 1
        facts = Facts(
            self._kind,
            self._payload(one),
            one.drafted_at,
            one.customer_ref in self._flagged,
            one.not_before_at,
            self._memory.past(one),
            self._zone,
        )
        try:
            decision = decide(self._policy, facts)
        except KindOff:
            tally.refused += 1
            return
        if decision.state is State.AWAITING_APPROVAL:
            tally.approval += 1
            # not all that the decision keeps: a longer window or the breaker sends nothing there
            tally.reasons.update(approvals(self._policy, facts))
        elif decision.state is State.HELD:
            tally.held += 1
        else:
            _scheduled(tally, one, decision, self._policy.needs_eyes)

    def _payload(self, one: Recorded) -> dict[str, Any]:
        return json.loads(one.payload or "{}") if self._reads else {"recorded": one.amount}


def reads_payload(kind: Kind, policy: Policy) -> bool:
    """Whether a rule of the row asks for more of a payload than its amount."""
    return kind.says("no_undo") and not policy.allow_no_undo


def _as_recorded(payload: Payload) -> tuple[int, str] | None:
    amount: tuple[int, str] | None = payload["recorded"]
    return amount


def _scheduled(tally: Tally, one: Recorded, decision: Decision, needs_eyes: bool) -> None:
    viewed, due = one.first_viewed_at, decision.execute_at or 0
    held = needs_eyes and (viewed is None or viewed >= due)
    if decision.mode is not Mode.IMMEDIATE:
        tally.waited += 1
        tally.seen += viewed is not None and viewed <= (decision.cancel_by or 0)
    elif not held:
        tally.at_once += 1
    if held:
        tally.for_eyes += 1
        return  # whoever says no then is in time
    said_no = _said_no(one)
    if said_no is not None and said_no < due:
        tally.stopped += 1
        return
    tally.ran += 1
    tally.too_late += said_no is not None


def _said_no(one: Recorded) -> int | None:
    """When somebody cancelled it, tried to, or rejected it."""
    if one.late_cancel_at is not None:
        return one.late_cancel_at
    if one.cancelled_at is not None:
        return None if (one.cancelled_by or "").startswith(_NOBODY) else one.cancelled_at
    if one.state == State.REJECTED and not one.state_by.startswith(_NOBODY):
        return one.finished_at
    return None
