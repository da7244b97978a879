"""What a kind's policy would do, and what speaks against it, before it is saved."""

import statistics
from dataclasses import dataclass

from webapp.domain import preview
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy
from webapp.domain.preview import Case
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import first_views

VIEWS_AT_LEAST = 20
"""Fewer first views say nothing about a window."""
_USUAL = (30_000, "INR")
"""The amount that is shown as long as nobody has drafted one."""


@dataclass(frozen=True, slots=True)
class FirstViews:
    """Of `seen` recent actions, `late` were first seen after the window. Half within `half` us."""

    seen: int
    late: int
    half: int

    @property
    def too_late(self) -> bool:
        """Most of them: the window would have been over."""
        return 2 * self.late > self.seen


@dataclass(frozen=True, slots=True)
class Preview:
    """`views` is None as long as too few were seen."""

    cases: list[Case]
    views: FirstViews | None


def look(desk: Desk, kind: str, policy: Policy) -> Preview:
    """Examples by `decide()`, and the window against the first views of this kind."""
    with desk.db.read() as tx:
        usual = first_views.last_amount(tx, kind) or _USUAL
        delays = first_views.delays(tx, kind)
    cases = preview.preview(KINDS[kind], policy, desk.now(), usual, desk.zone)
    if len(delays) < VIEWS_AT_LEAST:
        return Preview(cases, None)
    window = policy.window_seconds * SECOND
    late = sum(delay > window for delay in delays)
    return Preview(cases, FirstViews(len(delays), late, int(statistics.median_high(delays))))
