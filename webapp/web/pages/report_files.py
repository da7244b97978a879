"""A report for other programs: JSON with everything, CSV for spreadsheets."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from webapp.domain.buckets import upper
from webapp.domain.errors import Invalid
from webapp.domain.looking import Looked
from webapp.domain.times import MILLISECOND, SECOND, to_rfc3339
from webapp.services.reports import Report, Window
from webapp.store.report_cells import Counts

COUNTED = (
    *("drafted", "scheduled", "asked", "approved", "rejected", "expired", "held"),
    *("executed", "executed_unseen", "executed_at_once", "cancelled", "cancelled_by_people"),
    *("cancelled_by_agent", "cancelled_by_parent", "cancelled_by_desk", "too_late"),
    *("compensated", "failed", "unknown"),
)
"""Plain counts, each in every block; the words for them stand in README."""
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_json(found: Report) -> dict[str, Any]:
    """The whole report. Lengths of time are in seconds, money in minor units."""
    period, reached = found.asked.period, found.reached
    return {
        "from": period.first.isoformat(),
        "to": period.last.isoformat(),
        "zone": period.zone.key,
        "kind": found.asked.kind or None,
        "agent": found.asked.agent or None,
        "counted_up_to": to_rfc3339(reached.at),
        "complete": reached.complete,
        "total": _block(found.total),
        "by_kind_and_agent": [
            {"kind": line.kind, "agent": line.agent, **_block(line.counts)} for line in found.lines
        ],
        "by_day": [{"day": day.isoformat(), **_block(counts)} for day, counts in found.days],
        "by_hour": [{"hour": hour, **_block(one)} for hour, one in enumerate(found.hours)],
        "windows": [_window(one) for one in found.windows],
    }


def as_csv(found: Report, by: str) -> str:
    """Lines `by` kind (and agent), day or hour. Raises Invalid. Nothing in it is a formula."""
    names, blocks = _blocks(found, by)
    sums = sorted({name for _, counts in blocks for name in counts if name.startswith("money_")})
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow([*names, *COUNTED, *(name.replace(".", "_") for name in sums)])
    for keys, counts in blocks:
        numbers = [counts[name] for name in (*COUNTED, *sums)]
        lines.writerow([*map(harmless, keys), *numbers])
    return text.getvalue()


def _blocks(found: Report, by: str) -> tuple[list[str], list[tuple[list[object], Counts]]]:
    """What names a line, and each line's names and counts."""
    if by == "kind":
        return ["kind", "agent"], [([line.kind, line.agent], line.counts) for line in found.lines]
    if by == "day":
        return ["day"], [([day.isoformat()], counts) for day, counts in found.days]
    if by == "hour":
        return ["hour"], [([hour], counts) for hour, counts in enumerate(found.hours)]
    raise Invalid.field("/by", "is kind, day or hour")


def harmless(value: object) -> object:
    """A text that a spreadsheet would take for a formula begins with a quote (OWASP)."""
    if isinstance(value, str) and value.startswith(_BEGINS_A_FORMULA):
        return f"'{value}"
    return value


def _block(counts: Counts) -> dict[str, Any]:
    return {name: counts[name] for name in COUNTED} | {
        "money": _grouped(counts, "money_"),
        "times": {name: _times(pairs) for name, pairs in _histograms(counts).items()},
    }


def _grouped(counts: Counts, prefix: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, number in sorted(counts.items()):
        what, _, inner = name.removeprefix(prefix).partition(".")
        if name.startswith(prefix):
            found.setdefault(what, {})[inner] = number
    return found


def _histograms(counts: Counts) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for name, number in counts.items():
        what, _, place = name.partition(".")
        if place and not name.startswith("money_"):
            found.setdefault(what, []).append((int(place), number))
    return {name: sorted(pairs) for name, pairs in sorted(found.items())}


def _times(pairs: Iterable[tuple[int, int]]) -> list[dict[str, float | int | None]]:
    """`up_to` null: longer than the longest bound; 0: not later than its time."""
    return [{"up_to": _seconds(upper(place)), "number": number} for place, number in pairs]


def _seconds(length: int | None) -> float | int | None:
    if length is None:
        return None
    return length // SECOND if length % SECOND == 0 else length // MILLISECOND / 1000


def _window(one: Window) -> dict[str, Any]:
    found: Looked = one.found
    return {
        "kind": one.kind,
        "window_seconds": one.seconds,
        "measured_while": "waiting for approval" if one.asked else "in a window",
        "measured": found.number,
        "seen": found.seen,
        "share_in_window": None if one.seconds is None else _share(found, one.seconds),
        "curve": [
            {"within": _seconds(point.within), "share": round(point.share, 4)}
            for point in found.points
        ],
        "recommended_seconds": one.advice.seconds,
        "verdict": one.advice.verdict.value,
        "because": list(one.advice.because),
    }


def _share(found: Looked, seconds: int) -> float:
    return round(found.share(seconds * SECOND), 4)
