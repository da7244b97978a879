"""A period of whole days in somebody's zone, as people ask for one."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from webapp.domain.errors import Invalid
from webapp.domain.times import from_datetime, to_datetime

CHOICES = (7, 30, 90)
"""Days that the page offers."""
USUAL = 30
MOST_DAYS = 366


@dataclass(frozen=True, slots=True)
class Period:
    """From the beginning of `first` to the end of `last`, both in `zone`."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def days(self) -> list[date]:
        """Every day of it."""
        number = (self.last - self.first).days + 1
        return [self.first + timedelta(days=place) for place in range(number)]

    @property
    def begin(self) -> int:
        """UTC microseconds."""
        return _midnight(self.first, self.zone)

    @property
    def end(self) -> int:
        """UTC microseconds; no more part of it."""
        return _midnight(self.last + timedelta(days=1), self.zone)

    def local(self, at: int) -> datetime:
        """An instant (UTC microseconds) by the clock of its zone."""
        return to_datetime(at).astimezone(self.zone)


def latest(days: int, now: int, zone: ZoneInfo) -> Period:
    """So many days, today included."""
    today = to_datetime(now).astimezone(zone).date()
    return Period(today - timedelta(days=days - 1), today, zone)


def between(first: str, last: str, now: int, zone: ZoneInfo) -> Period:
    """From ISO dates; an empty `last` is today, an empty `first` a usual period before `last`.

    Raises Invalid, naming the field.
    """
    today = to_datetime(now).astimezone(zone).date()
    until = _day("/to", last) if last else today
    since = _day("/from", first) if first else until - timedelta(days=USUAL - 1)
    if since > until:
        raise Invalid.field("/from", "is after the last day")
    if (until - since).days >= MOST_DAYS:
        raise Invalid.field("/from", f"is more than {MOST_DAYS} days before the last day")
    return Period(since, until, zone)


def _day(pointer: str, text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise Invalid.field(pointer, "is no day, for example 2026-11-30") from None
    if not 1970 < found.year < 9999:
        raise Invalid.field(pointer, "is off the scale")
    return found


def _midnight(day: date, zone: tzinfo) -> int:
    return from_datetime(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC))
