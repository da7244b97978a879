"""From approval to a window: what the records say at each step. It decides nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy
from webapp.domain.states import State
from webapp.domain.times import SECOND, from_rfc3339
from webapp.services import gate, self_test
from webapp.services.desk import Desk
from webapp.store import evidence
from webapp.store.evidence import Answer
from webapp.store.self_tests import Ended

WINDOWS = (30, 60, 120, 300, 600, 900, 1_800, 3_600)
"""Seconds: what a proposed window is held beside."""


@dataclass(frozen=True, slots=True)
class Approvals:
    """By people; `expired` ones were rejected by the desk. Waits in microseconds."""

    approved: int
    rejected: int
    expired: int
    waiting: int
    half: int | None
    """Half of those that people decided waited at most so long."""
    nine_of_ten: int | None

    @property
    def decided(self) -> int:
        """By people."""
        return self.approved + self.rejected


@dataclass(frozen=True, slots=True)
class Shadow:
    """Of those that people decided in shadow: what a window would have done meanwhile."""

    recorded: int
    would_have_waited: int
    """For approval under the window as well, or for a release."""
    rejected_in_time: int
    rejected_too_late: int
    """The window would have run them before anybody rejected them."""
    approved: int
    """The window would have run them too."""


@dataclass(frozen=True, slots=True)
class Views:
    """Of `actions`, `seen` were on somebody's screen at all, half of those within `half`.

    `caught`: how many were so within each of some windows (seconds), the proposed one included.
    """

    actions: int
    seen: int
    half: int | None
    nine_of_ten: int | None
    window: int
    caught: tuple[tuple[int, int], ...]

    @property
    def in_time(self) -> int:
        """Within the proposed window."""
        return dict(self.caught)[self.window]


@dataclass(frozen=True, slots=True)
class Ladder:
    """Everything that the page shows."""

    policy: Policy
    approvals: Approvals
    shadow: Shadow
    gate: list[gate.Step]
    back: dict[State, int]
    """How often the way back was taken, by how that stands."""
    views: Views
    test: Ended | None


def ladder(desk: Desk, kind: str, window: int | None = None) -> Ladder:
    """The evidence; `window` (seconds) is what is proposed, else the saved one. Raises Unavailable.

    May ask providers, as `gate` does.
    """
    policy, back = desk.policy(kind), KINDS[kind].way_back
    with desk.db.read() as tx:
        number = evidence.number(tx, kind)
        waiting = evidence.waiting(tx, kind)
        answers = evidence.answers(tx, kind)
        delays = sorted(evidence.first_views(tx, kind))
        ends = evidence.ends(tx, back.kind) if back else []
    return Ladder(
        policy,
        _approvals(answers, waiting),
        _shadow(answers),
        gate.steps(desk, kind),
        {State(one.state): one.number for one in ends},
        _views(delays, number, policy.window_seconds if window is None else window),
        self_test.last(desk),
    )


def _approvals(answers: Sequence[Answer], waiting: int) -> Approvals:
    people = [one for one in answers if _by_a_person(one)]
    rejected = sum(one.verb == "rejected" for one in people)
    waits = sorted(one.at - one.drafted_at for one in people)
    return Approvals(
        approved=len(people) - rejected,
        rejected=rejected,
        expired=len(answers) - len(people),
        waiting=waiting,
        half=_share(waits, 0.5),
        nine_of_ten=_share(waits, 0.9),
    )


def _shadow(answers: Sequence[Answer]) -> Shadow:
    recorded = waited = in_time = too_late = approved = 0
    for one in answers:
        instead = json.loads(one.decision).get("would_have")
        if instead is None or not _by_a_person(one):
            continue
        recorded += 1
        runs = instead.get("execute_at")
        if runs is None:
            waited += 1
        elif one.verb == "approved":
            approved += 1
        elif one.at < from_rfc3339(runs):
            in_time += 1
        else:
            too_late += 1
    return Shadow(recorded, waited, in_time, too_late, approved)


def _views(delays: Sequence[int], number: int, window: int) -> Views:
    windows = sorted({*WINDOWS, window})
    caught = [(one, sum(delay <= one * SECOND for delay in delays)) for one in windows]
    return Views(
        number, len(delays), _share(delays, 0.5), _share(delays, 0.9), window, tuple(caught)
    )


def _by_a_person(one: Answer) -> bool:
    return one.actor.startswith("staff:") or one.actor == "command"


def _share(ordered: Sequence[int], share: float) -> int | None:
    """The value that `share` of them do not exceed."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None
