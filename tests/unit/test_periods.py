"""Periods are whole days by the clock of their zone."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from webapp.domain.errors import Invalid
from webapp.domain.periods import MOST_DAYS, Period, between, latest
from webapp.domain.times import SECOND, from_rfc3339

NOW = from_rfc3339("2026-11-30T20:00:00Z")
UTC, KOLKATA, VIENNA = ZoneInfo("UTC"), ZoneInfo("Asia/Kolkata"), ZoneInfo("Europe/Vienna")
HOUR = 3_600 * SECOND


def test_the_latest_days_end_with_today() -> None:
    """Where it is after midnight already, that is tomorrow for others."""
    assert latest(7, NOW, UTC) == Period(date(2026, 11, 24), date(2026, 11, 30), UTC)
    assert latest(1, NOW, KOLKATA).first == date(2026, 12, 1)


def test_it_begins_and_ends_at_midnight() -> None:
    period = between("2026-11-29", "2026-11-30", NOW, KOLKATA)
    assert period.begin == from_rfc3339("2026-11-28T18:30:00Z")
    assert period.end == from_rfc3339("2026-11-30T18:30:00Z")
    assert period.days == [date(2026, 11, 29), date(2026, 11, 30)]


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_a_day_on_which_the_clock_is_set_is_as_long_as_it_is(day: str, hours: int) -> None:
    period = between(day, day, NOW, VIENNA)
    assert period.end - period.begin == hours * HOUR


def test_either_end_may_be_left_out() -> None:
    assert between("2026-11-20", "", NOW, UTC).last == date(2026, 11, 30)
    assert between("", "2026-10-31", NOW, UTC).first == date(2026, 10, 2)


@pytest.mark.parametrize(
    ("first", "last", "pointer"),
    [
        ("2026-12-02", "2026-12-01", "/from"),
        ("2020-01-01", "", "/from"),
        ("30.11.2026", "", "/from"),
        ("", "2026-02-30", "/to"),
        ("", "0001-01-01", "/to"),
        ("", "9999-12-31", "/to"),
    ],
)
def test_what_is_wrong_is_named(first: str, last: str, pointer: str) -> None:
    with pytest.raises(Invalid) as wrong:
        between(first, last, NOW, UTC)
    assert wrong.value.errors[0].pointer == pointer


def test_a_year_is_not_too_long() -> None:
    assert len(between("2025-11-30", "2026-11-30", NOW, UTC).days) == MOST_DAYS
