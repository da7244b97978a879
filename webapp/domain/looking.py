"""How soon people look: the share that has been on a screen by then, and the window it asks for.

Much is over before anybody looked, and then nobody knows when they would have. Such an action
counts as long as it stood and no longer (Kaplan and Meier, 1958, on grouped times): left out, the
curve would flatter every window; counted as never seen, no longer window could do better.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from webapp.domain.buckets import BOUNDS, quantile
from webapp.domain.times import SECOND, duration

LEAST = 50
"""Actions below which nothing is recommended."""
LEAST_LEFT = 10
"""Where fewer are left to look at the curve ends."""
WANTED = 0.95
"""The share that a window should catch."""
LEAST_CANCELS = 20
"""Cancels below which their times say nothing."""
STEPS = (10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_200, 1_800, 2_700, 3_600)
"""Windows that people would choose, in seconds. The last is the longest ever recommended."""


@dataclass(frozen=True, slots=True)
class Point:
    """By `within` (microseconds) the `share` had been on somebody’s screen."""

    within: int
    share: float


@dataclass(frozen=True, slots=True)
class Looked:
    """How many there were, on how many somebody looked before they were over, and the curve."""

    number: int
    seen: int
    points: tuple[Point, ...]

    def share(self, within: int) -> float:
        """By `within` (microseconds), in proportion between two points; no more beyond the last."""
        before = Point(0, 0.0)
        for point in self.points:
            if within <= point.within:
                part = (within - before.within) / (point.within - before.within)
                return before.share + part * (point.share - before.share)
            before = point
        return before.share


class Verdict(StrEnum):
    """What is recommended, beside what is in force."""

    TOO_LITTLE = "too_little"
    SAME = "same"
    LONGER = "longer"
    SHORTER = "shorter"
    START = "start"
    """There is no window yet."""
    APPROVAL = "approval"
    """No window that one would choose is long enough."""


@dataclass(frozen=True, slots=True)
class Advice:
    """`seconds`: the window that is recommended, where one is; and why, in sentences."""

    verdict: Verdict
    seconds: int | None
    because: tuple[str, ...]


def looked(views: Mapping[int, int], no_views: Mapping[int, int]) -> Looked:
    """From buckets: those looked at, by how long it took; the others, by how long they stood."""
    number, seen = sum((*views.values(), *no_views.values())), sum(views.values())
    points, left, unseen = [], float(number), 1.0
    for place, bound in enumerate(BOUNDS):
        looks, ends = views.get(place, 0), no_views.get(place, 0)
        # Where nearly all that is left ends, a window does: what lies beyond nobody could see.
        if left < LEAST_LEFT or ends > left / 2:
            break
        # Those that end within the bucket stand, on average, for half of it.
        unseen *= 1 - looks / (left - ends / 2)
        left -= looks + ends
        points.append(Point(bound, 1 - unseen))
    return Looked(number, seen, tuple(points))


def advise(found: Looked, cancels: Mapping[int, int], window: int | None) -> Advice:
    """The window that these looks and the times that cancels took ask for.

    `window`: seconds of the one in force; None: there is none.
    """
    if found.number < LEAST:
        said = f"{found.number} could be measured; from {LEAST} on there is a recommendation."
        return Advice(Verdict.TOO_LITTLE, None, (said,))
    within = next((point.within for point in found.points if point.share >= WANTED), None)
    if within is None:
        return _unknown(found, window)
    because = [f"{WANTED:.0%} are on somebody’s screen within {_said(within)}."]
    needed = max(within, _for_cancels(cancels, because))
    step = _step(needed)
    if step is None:
        because.append(
            f"Longer than {duration(STEPS[-1])} nobody should wait for a window: let it wait for "
            "approval, or have more people look."
        )
        return Advice(Verdict.APPROVAL, None, tuple(because))
    if step * SECOND > needed:
        because.append(f"Rounded up to {duration(step)}.")
    return Advice(_verdict(step, window), step, tuple(because))


def _unknown(found: Looked, window: int | None) -> Advice:
    """The curve ends below what is wanted: what ran unseen tells no more."""
    last = found.points[-1] if found.points else Point(0, 0.0)
    known = f"Within {_said(last.within)}, as far as it can be measured, {last.share:.0%} are on "
    because = [
        f"{known}somebody’s screen; the others ran or were stopped before anybody looked.",
    ]
    step = _step(max(2 * (window or 0) * SECOND, last.within + 1))
    if step is None or (window is not None and step <= window):
        because.append("A longer window would hardly help: let it wait for approval.")
        return Advice(Verdict.APPROVAL, None, tuple(because))
    because.append(f"{duration(step)} would show how long the others need.")
    return Advice(_verdict(step, window), step, tuple(because))


def _for_cancels(cancels: Mapping[int, int], because: list[str]) -> int:
    """How long cancels take, where there are enough, those that came too late included."""
    number = sum(cancels.values())
    place = quantile(cancels, WANTED)
    if number < LEAST_CANCELS or place is None:
        return 0
    took = BOUNDS[min(max(place, 0), len(BOUNDS) - 1)]
    because.append(f"{WANTED:.0%} of {number:,} cancels, late ones too, took up to {_said(took)}.")
    return took


def _step(length: int) -> int | None:
    return next((step for step in STEPS if step * SECOND >= length), None)


def _verdict(step: int, window: int | None) -> Verdict:
    if not window:
        return Verdict.START
    if step == window:
        return Verdict.SAME
    return Verdict.LONGER if step > window else Verdict.SHORTER


def _said(length: int) -> str:
    return duration(length // SECOND) if length >= SECOND else f"{length // 1000} ms"
