"""What a report draws: each figure is a table first, and reports.js draws what stands in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webapp.domain.buckets import BEFORE, BOUNDS, histogram
from webapp.domain.times import MILLISECOND, SECOND, duration
from webapp.services.reports import Report
from webapp.store.report_cells import Counts
from webapp.web.pages.report_tables import number


@dataclass(frozen=True, slots=True)
class Series:
    """A column that is drawn. `look` is a name in reports.js: colour, dash, point and fill."""

    label: str
    look: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row's name and its numbers, one a series."""

    label: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """`chart` is `lines` or `bars`."""

    name: str
    title: str
    note: str
    chart: str
    first: str
    series: tuple[Series, ...]
    rows: tuple[Row, ...]

    @property
    def empty(self) -> bool:
        """Nothing was counted: there is nothing to draw."""
        return not any(any(row.values) for row in self.rows)

    @property
    def totals(self) -> list[str]:
        """Of each series."""
        return [number(sum(column)) for column in zip(*(r.values for r in self.rows), strict=True)]


_RAN = {"scheduled": Series("Scheduled", "quiet"), "executed": Series("Executed", "main")}
_LOOKED_AT = {
    "executed_unseen": Series("Executed unseen", "bad"),
    "cancelled": Series("Cancelled", "good"),
    "too_late": Series("Cancelled too late", "warn"),
}
_LATE = (1, 10, 60)
_LEFT = (1, 5, 15, 60, 300)
_LATENESS = (0.005, 0.02, 0.1, 1, 10, 60)
_WAITS = (60, 300, 900, 3_600, 14_400, 86_400)


def figures(found: Report) -> list[Figure]:
    """Those in which there is something."""
    days = [(f"{day:%a %-d %b}", counts) for day, counts in found.days]
    hours = [(f"{hour}:00", counts) for hour, counts in enumerate(found.hours)]
    zone = found.asked.period.zone.key
    of_days = f"Days begin at midnight in {zone}."
    of_hours = f"All days together, by the clock in {zone}."
    made = (
        _lines("days", "Scheduled and executed, by day", of_days, days, _RAN),
        _lines("people-by-day", "Unseen and cancelled, by day", of_days, days, _LOOKED_AT),
        _lines("hours", "Scheduled and executed, by hour", of_hours, hours, _RAN),
        _lines("people-by-hour", "Unseen and cancelled, by hour", of_hours, hours, _LOOKED_AT),
        _cancels(found),
        _waits(found),
        _lateness(found),
    )
    return [figure for figure in made if not figure.empty]


def _lines(
    name: str,
    title: str,
    note: str,
    over: Sequence[tuple[str, Counts]],
    shown: Mapping[str, Series],
) -> Figure:
    rows = [Row(label, tuple(counts[one] for one in shown)) for label, counts in over]
    return Figure(name, title, note, "lines", "When", tuple(shown.values()), tuple(rows))


def _cancels(found: Report) -> Figure:
    left, late = histogram(found.total, "left"), histogram(found.total, "late_by")
    overdue = left.pop(BEFORE, 0)
    rows = [Row(f"{words} late", (0, count)) for words, count in reversed(_binned(late, _LATE))]
    rows.append(Row("Due, not begun", (overdue, 0)))
    rows += [Row(f"{words} left", (count, 0)) for words, count in _binned(left, _LEFT)]
    return Figure(
        "cancels",
        "Cancels by the seconds left",
        "Those that came too late stand to the left, by how much too late they were.",
        "bars",
        "When the cancel came",
        (Series("Cancelled in time", "good"), Series("Too late", "warn")),
        tuple(rows),
    )


def _waits(found: Report) -> Figure:
    shown = {
        "wait_approved": Series("Approved", "good"),
        "wait_rejected": Series("Rejected", "bad"),
        "wait_expired": Series("Expired", "quiet"),
    }
    columns = [_binned(histogram(found.total, name), _WAITS) for name in shown]
    rows = [
        Row(several[0][0], tuple(count for _, count in several))
        for several in zip(*columns, strict=True)
    ]
    note = "How long drafts waited until somebody decided, or nobody did."
    series = tuple(shown.values())
    return Figure("waits", "Wait for approval", note, "bars", "Wait", series, tuple(rows))


def _lateness(found: Report) -> Figure:
    binned = _binned(histogram(found.total, "late"), _LATENESS)
    rows = tuple(Row(words, (count,)) for words, count in binned)
    note = "From when an action could run until a worker took it."
    series = (Series("Executed", "main"),)
    return Figure("lateness", "Lateness of execution", note, "bars", "Late by", series, rows)


def _binned(counts: Mapping[int, int], edges: Sequence[float]) -> list[tuple[str, int]]:
    """Fewer, wider bins: up to the first edge (seconds), between each two, over the last."""
    places = [BOUNDS.index(int(edge * SECOND)) for edge in edges]
    words = [_short(edge) for edge in edges]
    ends = [*places, len(BOUNDS)]
    names = [f"up to {words[0]}"]
    names += [_range(low, high) for low, high in pairwise(words)]
    names.append(f"over {words[-1]}")
    begin, found = BEFORE, []
    for name, end in zip(names, ends, strict=True):
        found.append((name, sum(n for place, n in counts.items() if begin < place <= end)))
        begin = end
    return found


def _range(low: str, high: str) -> str:
    """`1 s`, `10 s` -> `1–10 s`"""
    number, _, unit = low.partition(" ")
    return f"{number}–{high}" if high.endswith(f" {unit}") else f"{low} – {high}"


def _short(seconds: float) -> str:
    if seconds < 1:
        return f"{int(seconds * SECOND) // MILLISECOND} ms"
    return duration(int(seconds))
