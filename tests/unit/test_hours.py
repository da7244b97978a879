"""Desk hours: written, read, and counted across both clock changes.

CASES agronholm/apscheduler#1021: the clock change left the scheduler looping.
"""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.deciding import HOURS, ZONES
from webapp.domain.decision import schedule
from webapp.domain.hours import DAYS, DeskHours, add_open, open_between, read_hours
from webapp.domain.times import SECOND, from_rfc3339, to_datetime, to_rfc3339

HOUR = 3_600 * SECOND
VIENNA = ZoneInfo("Europe/Vienna")


def hours(text: str) -> DeskHours:
    found = read_hours(text)
    assert found is not None
    return found


OFFICE, NONSTOP = hours("Mon-Fri 09:00-18:00"), hours("Mon-Sun 00:00-24:00")


@pytest.mark.parametrize(
    ("drafted", "seconds", "cancel_by"),
    [
        ("2026-11-27T10:00:00+01:00", 300, "2026-11-27T10:05:00+01:00"),
        ("2026-11-27T17:58:00+01:00", 300, "2026-11-30T09:03:00+01:00"),
        ("2026-11-27T17:55:00+01:00", 300, "2026-11-27T18:00:00+01:00"),
        ("2026-11-28T12:00:00+01:00", 300, "2026-11-30T09:05:00+01:00"),
        ("2026-11-30T07:00:00+01:00", 300, "2026-11-30T09:05:00+01:00"),
        ("2026-11-27T12:00:00+01:00", 86_400, "2026-12-01T18:00:00+01:00"),
        ("2026-11-28T12:00:00+01:00", 0, "2026-11-28T12:00:00+01:00"),
        # The clock changes on the night to Sunday: over the weekend the offset does.
        ("2026-03-27T17:58:00+01:00", 300, "2026-03-30T09:03:00+02:00"),
        ("2026-10-23T17:58:00+02:00", 300, "2026-10-26T09:03:00+01:00"),
    ],
)
def test_a_window_counts_while_the_desk_is_open(drafted: str, seconds: int, cancel_by: str) -> None:
    """CONTRACT, `window_seconds`: open hours only, where `desk_hours` is set."""
    now = from_rfc3339(drafted)
    shown, runs = schedule(now, seconds * SECOND, SECOND, None, OFFICE, VIENNA)
    assert to_rfc3339(shown) == to_rfc3339(from_rfc3339(cancel_by))
    assert runs == shown + SECOND
    later = from_rfc3339("2027-01-03T03:00:00Z")
    assert schedule(now, seconds * SECOND, SECOND, later, OFFICE, VIENNA)[1] == later


@pytest.mark.parametrize(
    ("day", "open_hours"),
    [("2026-03-28", 24), ("2026-03-29", 23), ("2026-10-24", 24), ("2026-10-25", 25)],
)
def test_days_of_23_and_25_hours(day: str, open_hours: int) -> None:
    """A desk that never closes is open for as long as the day is."""
    start = from_rfc3339(f"{day}T00:00:00Z") - 12 * HOUR
    whole = hours(f"{DAYS[to_datetime(start + 12 * HOUR).weekday()]} 00:00-24:00")
    assert open_between(start, start + 60 * HOUR, whole, VIENNA) == open_hours * HOUR
    assert add_open(start, HOUR, NONSTOP, VIENNA) == start + HOUR


@pytest.mark.parametrize(
    ("text", "opens", "open_hours"),
    [
        # 02:00 to 03:00 is not there: who would open at half past opens as the clock jumps.
        ("Sun 02:30-05:00", "2026-03-29T03:00:00+02:00", 2),
        ("Sun 01:00-02:30", "2026-03-29T01:00:00+01:00", 1),
        ("Sun 01:00-04:00", "2026-03-29T01:00:00+01:00", 2),
        # And on the other day it is there twice.
        ("Sun 02:30-05:00", "2026-10-25T02:30:00+02:00", 3.5),
        ("Sun 01:00-04:00", "2026-10-25T01:00:00+02:00", 4),
    ],
)
def test_a_shift_across_the_change(text: str, opens: str, open_hours: float) -> None:
    """By the clock on the wall, each instant once."""
    at = from_rfc3339(opens)
    before = at - 20 * HOUR
    assert add_open(before, 1, hours(text), VIENNA) == at + 1
    assert open_between(before, before + 48 * HOUR, hours(text), VIENNA) == open_hours * HOUR


@settings(max_examples=60)
@given(
    found=HOURS,
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    # Both changes of 2026 lie in it, in every zone that has some.
    start=st.integers(from_rfc3339("2026-01-01T00:00:00Z"), from_rfc3339("2026-12-31T00:00:00Z")),
    span=st.integers(1, 86_400).map(lambda seconds: seconds * SECOND),
    more=st.integers(1, 86_400).map(lambda seconds: seconds * SECOND),
)
def test_exactly_the_span_is_open(
    found: DeskHours, zone: ZoneInfo, start: int, span: int, more: int
) -> None:
    """Counting there and back agrees; a longer window never ends sooner."""
    end = add_open(start, span, found, zone)
    assert end >= start + span
    assert open_between(start, end, found, zone) == span
    assert open_between(start, end - SECOND, found, zone) == span - SECOND
    assert add_open(start, span + more, found, zone) > end
    assert add_open(start + more, span, found, zone) >= end
    wall = (to_datetime(end) - timedelta(microseconds=1)).astimezone(zone)
    assert any(wall.weekday() in shift.days for shift in found.shifts)


@settings(max_examples=60)
@given(found=HOURS)
def test_hours_survive_being_written_and_read(found: DeskHours) -> None:
    """The page, the command line and the table use the same words."""
    assert read_hours(str(found)) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mon-fri 9:00-18:00", "Mon-Fri 09:00-18:00"),
        ("Sat 10:00-14:00,Mon-Tue  09:00-24:00", "Sat 10:00-14:00, Mon-Tue 09:00-24:00"),
        ("Sat-Mon 00:00-01:00", "Sat-Mon 00:00-01:00"),
        ("Always", "None"),
    ],
)
def test_hours_are_shown_in_one_form(text: str, shown: str) -> None:
    assert str(read_hours(text)) == shown


def test_shifts_that_touch_are_counted_once() -> None:
    """Two people's hours are not twice the hours."""
    assert hours("Mon 09:00-13:00, Mon 12:00-18:00, Mon 18:00-19:00").minutes_a_week == 600
    assert hours("Sat-Mon 00:00-01:00").minutes_a_week == 180


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("office", "is not DAYS HH:MM-HH:MM"),
        ("Mon-Fri 9-18", "is not DAYS HH:MM-HH:MM"),
        ("Mon-Fri 09:00-18:00,", "is not DAYS HH:MM-HH:MM"),
        ("Mon-Fry 09:00-18:00", "'Fry' is not a day"),
        ("Mon 09:60-18:00", "09:60 is not a time"),
        ("Mon 09:00-24:01", "24:01 is not a time"),
        ("Mon 22:00-06:00", "must close after it opens"),
        ("Mon 09:00-09:00", "must close after it opens"),
        ("Mon ٠٩:00-18:00", "is not DAYS"),
    ],
)
def test_bad_hours_say_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_hours(text)
