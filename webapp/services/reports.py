"""What the desk did in a period, from the counts that a follower keeps."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from webapp.domain.buckets import histogram
from webapp.domain.kinds.registry import KINDS
from webapp.domain.looking import Advice, Looked, advise, looked
from webapp.domain.periods import Period
from webapp.domain.policy import Mode, Policy
from webapp.domain.times import SECOND
from webapp.services.count import Counting
from webapp.services.desk import Desk
from webapp.store import counted, events, followers, report_cells
from webapp.store.engine import Tx
from webapp.store.report_cells import ALL, HALF_HOUR, Counts

USUAL_LAG = 15 * SECOND
"""An event may wait so long for its count where nothing is wrong: workers do it in rounds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which report: a period, of one kind or all, of one agent or all (`""`)."""

    period: Period
    kind: str = ALL
    agent: str = ALL

    def takes(self, kind: str, agent: str) -> bool:
        """Whether the actions of this kind and agent are part of it."""
        return self.kind in (ALL, kind) and self.agent in (ALL, agent)


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the counting has come: all that happened up to `at` is counted.

    `done` of about `of` events; complete when what is left has just happened.
    """

    at: int
    done: int
    of: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Line:
    """What came of the actions of one kind and agent."""

    kind: str
    agent: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class Window:
    """How soon people look at actions of a kind, beside the window they have for it."""

    kind: str
    seconds: int | None
    """The window in force; None where the kind has none now."""
    asked: bool
    """Measured while they waited for approval: there was no window to measure."""
    found: Looked
    advice: Advice


@dataclass(frozen=True, slots=True)
class Report:
    """Everything on the page."""

    asked: Asked
    reached: Reached
    lines: tuple[Line, ...]
    total: Counts
    days: tuple[tuple[date, Counts], ...]
    hours: tuple[Counts, ...]
    """By the hour of the day, 0 to 23."""
    windows: tuple[Window, ...]
    agents: tuple[str, ...]
    """Of whom anything was counted in the period."""


def report(desk: Desk, asked: Asked) -> Report:
    """What was counted. Raises Unavailable.

    Days begin with a half hour of UTC: in a zone a quarter off, fifteen minutes early.
    """
    begin, end = (at // HALF_HOUR for at in (asked.period.begin, asked.period.end))
    with desk.db.read() as tx:
        policies = desk.read_table(tx)
        reached = _reached(tx)
        sums = report_cells.sums(tx, begin * HALF_HOUR, end * HALF_HOUR)
        slots = report_cells.halves(tx, begin, end - 1, asked.kind, asked.agent)
        days, hours = _by_time(asked.period, slots)
    lines = tuple(
        Line(kind, agent, sums[kind, agent])
        for kind in KINDS
        for _, agent in sorted(key for key in sums if key[0] == kind)
        if asked.takes(kind, agent)
    )
    of_kinds = by_kind(lines)
    return Report(
        asked=asked,
        reached=reached,
        lines=lines,
        total=sum_of(of_kinds.values()),
        days=days,
        hours=hours,
        windows=tuple(_window(kind, of_kinds[kind], policies.row(kind)) for kind in of_kinds),
        agents=tuple(sorted({agent for _, agent in sums})),
    )


def by_kind(lines: Iterable[Line]) -> dict[str, Counts]:
    """Agents added up, in the order of `lines`."""
    found: defaultdict[str, Counts] = defaultdict(Counter)
    for line in lines:
        found[line.kind].update(line.counts)
    return dict(found)


def sum_of(many: Iterable[Counts]) -> Counts:
    """All of them together."""
    total: Counts = Counter()
    for one in many:
        total.update(one)
    return total


def _by_time(
    period: Period, slots: Iterable[tuple[int, Counts]]
) -> tuple[tuple[tuple[date, Counts], ...], tuple[Counts, ...]]:
    """By day, each of the period, and by hour of the day: both by the clock of its zone."""
    days: dict[date, Counts] = {day: Counter() for day in period.days}
    hours: tuple[Counts, ...] = tuple(Counter() for _ in range(24))
    for slot, counts in slots:
        local = period.local(slot * HALF_HOUR)
        days[min(max(local.date(), period.first), period.last)].update(counts)
        hours[local.hour].update(counts)
    return tuple(days.items()), hours


def _reached(tx: Tx) -> Reached:
    place = followers.place(tx, Counting.name)
    left = events.after(tx, place, 1)
    at, done, of = counted.reached(tx, place)
    now = tx.now()
    if not left:
        return Reached(now, of, of, complete=True)
    if now - left[0].at < USUAL_LAG:
        return Reached(left[0].at, done, of, complete=True)
    return Reached(at or left[0].at, done, of, complete=False)


def _window(kind: str, counts: Counts, policy: Policy) -> Window:
    """By those that stood in a window; where there were none, by those that waited for a person."""
    found = looked(histogram(counts, "view"), histogram(counts, "no_view"))
    asked = not found.number
    if asked:
        found = looked(histogram(counts, "asked_view"), histogram(counts, "asked_no_view"))
    seconds = policy.window_seconds if policy.mode is Mode.WINDOW else None
    return Window(kind, seconds, asked, found, advise(found, histogram(counts, "took"), seconds))
