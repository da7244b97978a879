"""Desk hours: when people are there to see a window, in the desk's own zone.

A desk opens at the first instant at which the clock on its wall shows the hour, and closes at the
first at which it shows the other: on the day that loses an hour a shift across the change is
shorter, on the day that has one twice it is longer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from webapp.domain.times import SECOND, from_datetime, to_datetime

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ALWAYS = "always"
_DAY = 24 * 60
_SHIFT = re.compile(
    r"([A-Za-z]{3})(?:-([A-Za-z]{3}))?\s+(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Shift:
    """From one weekday to another (0 is Monday), each day from `opens` to `closes`: minutes."""

    first: int
    last: int
    opens: int
    closes: int

    @property
    def days(self) -> frozenset[int]:
        """The weekdays; from Saturday to Monday are three."""
        return frozenset((self.first + n) % 7 for n in range((self.last - self.first) % 7 + 1))

    def __str__(self) -> str:
        days = DAYS[self.first] + (f"-{DAYS[self.last]}" if self.last != self.first else "")
        return f"{days} {_clock(self.opens)}-{_clock(self.closes)}"


@dataclass(frozen=True, slots=True)
class DeskHours:
    """The shifts of a week, as they were written."""

    shifts: tuple[Shift, ...]

    @property
    def minutes_a_week(self) -> int:
        """How long the desk is open in a week without a clock change."""
        return sum(
            closes - opens for weekday in range(7) for opens, closes in _of_day(self, weekday)
        )

    def __str__(self) -> str:
        return _written(self.shifts)


def read_hours(text: str) -> DeskHours | None:
    """`Mon-Fri 09:00-18:00, Sat 10:00-14:00`; None for `always`. Raises ValueError."""
    if text.strip().lower() == ALWAYS:
        return None
    return DeskHours(tuple(_shift(part.strip()) for part in text.split(",")))


def add_open(start: int, span: int, hours: DeskHours, zone: tzinfo) -> int:
    """The instant by which the desk has been open for `span` since `start` (microseconds)."""
    if span <= 0:
        return start
    for opens, closes in _open(start, hours, zone):
        here = max(opens, start)
        if closes - here >= span:
            return here + span
        span -= max(0, closes - here)
    raise AssertionError("unreachable: every week has hours")


def open_between(start: int, end: int, hours: DeskHours, zone: tzinfo) -> int:
    """For how long the desk is open from `start` to `end` (microseconds)."""
    found = 0
    for opens, closes in _open(start, hours, zone):
        if opens >= end:
            break
        found += max(0, min(closes, end) - max(opens, start))
    return found


def _shift(text: str) -> Shift:
    match = _SHIFT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not DAYS HH:MM-HH:MM, for example Mon-Fri 09:00-18:00")
    first = _weekday(match[1])
    last = first if match[2] is None else _weekday(match[2])
    opens, closes = _minutes(match[3], match[4]), _minutes(match[5], match[6])
    if opens >= closes:
        raise ValueError(
            f"{text!r} must close after it opens; a night is two: Mon 22:00-24:00, Tue 00:00-06:00"
        )
    return Shift(first, last, opens, closes)


def _weekday(name: str) -> int:
    if (known := name.capitalize()) not in DAYS:
        raise ValueError(f"{name!r} is not a day: {', '.join(DAYS)}")
    return DAYS.index(known)


def _minutes(hour: str, minute: str) -> int:
    minutes = int(hour) * 60 + int(minute)
    if int(minute) > 59 or minutes > _DAY:
        raise ValueError(f"{hour}:{minute} is not a time from 00:00 to 24:00")
    return minutes


@lru_cache(maxsize=64)
def _written(shifts: tuple[Shift, ...]) -> str:
    # Kept, because a replay says it for each of 100,000 decisions.
    return ", ".join(map(str, shifts))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _of_day(hours: DeskHours, weekday: int) -> list[tuple[int, int]]:
    """A day's opening times in minutes, in order, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for opens, closes in sorted(
        (shift.opens, shift.closes) for shift in hours.shifts if weekday in shift.days
    ):
        if joined and opens <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], closes))
        else:
            joined.append((opens, closes))
    return joined


def _open(start: int, hours: DeskHours, zone: tzinfo) -> Iterator[tuple[int, int]]:
    """When the desk is open, from the day of `start` on, without end."""
    day = to_datetime(start).astimezone(zone).date()
    while True:
        for opens, closes in _of_day(hours, day.weekday()):
            yield _instant(day, opens, zone), _instant(day, closes, zone)
        day += timedelta(days=1)


@lru_cache(maxsize=1024)
def _instant(day: date, minutes: int, zone: tzinfo) -> int:
    """The first instant of `day` at which the clock on the wall shows that time or a later one."""
    wall = datetime(day.year, day.month, day.day) + timedelta(minutes=minutes)  # noqa: DTZ001
    at = wall.replace(tzinfo=zone).astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None) == wall:
        return from_datetime(at)
    # The clock jumps over it (PEP 495, a gap): the desk opens as it jumps.
    before, after = (_seconds(wall.replace(tzinfo=zone, fold=fold)) for fold in (1, 0))
    while after - before > 1:
        middle = (before + after) // 2
        shown = datetime.fromtimestamp(middle, zone).replace(tzinfo=None)
        before, after = (middle, after) if shown < wall else (before, middle)
    return after * SECOND


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
