"""Whether each kind's window is long enough, in words and as a curve."""

from dataclasses import dataclass

from webapp.domain.kinds.registry import KINDS
from webapp.domain.looking import Verdict
from webapp.domain.times import MILLISECOND, SECOND, duration
from webapp.services.reports import Report, Window
from webapp.web.pages.report_tables import number

_LEAST_WORTH_SAYING = 0.001
"""A share below which a point is left out of the table: nobody looks within a millisecond."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One kind's panel. Times are in seconds, shares in percent."""

    name: str
    label: str
    headline: str
    catches: str
    because: tuple[str, ...]
    points: tuple[tuple[str, float, float], ...]
    """Words, seconds, percent."""
    window: int | None
    share: int | None
    """Of 100, that the window catches."""
    recommended: int | None
    measured: str


@dataclass(frozen=True, slots=True)
class Windows:
    """Kinds of which enough is known, and sentences about the others."""

    curves: tuple[Curve, ...]
    little: tuple[str, ...]


def windows(found: Report) -> Windows:
    """Kinds with a curve, and those of which too little is known."""
    known = [one for one in found.windows if one.advice.verdict is not Verdict.TOO_LITTLE]
    little = [one for one in found.windows if one not in known and one.found.number]
    return Windows(
        tuple(_curve(one) for one in known),
        tuple(f"{KINDS[one.kind].label}: {' '.join(one.advice.because)}" for one in little),
    )


def _curve(one: Window) -> Curve:
    return Curve(
        name=one.kind,
        label=KINDS[one.kind].label,
        headline=_headline(one),
        catches=_catches(one),
        because=one.advice.because,
        points=tuple(
            (_words(point.within), point.within / SECOND, round(100 * point.share, 1))
            for point in one.found.points
            if point.share >= _LEAST_WORTH_SAYING
        ),
        window=one.seconds or None,
        share=round(100 * one.found.share(one.seconds * SECOND)) if one.seconds else None,
        recommended=one.advice.seconds,
        measured=_measured(one),
    )


def _headline(one: Window) -> str:
    step = "" if one.advice.seconds is None else duration(one.advice.seconds)
    return {
        Verdict.SAME: f"{step} is right",
        Verdict.LONGER: f"make it {step}",
        Verdict.SHORTER: f"{step} would do",
        Verdict.START: f"{step}, should it get a window",
    }.get(one.advice.verdict, "rather approval")


def _catches(one: Window) -> str:
    if not one.seconds:
        return "It has no window now."
    share = one.found.share(one.seconds * SECOND)
    return f"The window of {duration(one.seconds)} catches {share:.0%}."


def _measured(one: Window) -> str:
    where = "waited for approval" if one.asked else "stood in a window"
    seen = number(one.found.seen)
    return f"{number(one.found.number)} {where}; on {seen} somebody looked before they were over."


def _words(length: int) -> str:
    return duration(length // SECOND) if length >= SECOND else f"{length // MILLISECOND} ms"
