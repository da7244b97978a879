"""Windows in desk hours, held, released and extended: what was left is left in open time."""

from zoneinfo import ZoneInfo

import pytest

from tests.services.people import ANA, drafted, policy
from webapp.config import Settings
from webapp.domain.action import Action
from webapp.domain.hours import DAYS, DeskHours, add_open, read_hours
from webapp.domain.states import State
from webapp.domain.times import SECOND, from_rfc3339, to_datetime, to_rfc3339
from webapp.services import clock, open_hours
from webapp.services.desk import Desk
from webapp.store.engine import Database

FRIDAY = from_rfc3339("2026-10-23T17:58:00+02:00")
"""Two minutes before the desk closes; the clocks change before it opens again."""
OFFICE = "Mon-Fri 09:00-18:00"


class Clock:
    """A host's clock that stands until it is set."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __call__(self) -> int:
        return self.at

    def show(self, text: str) -> None:
        self.at = from_rfc3339(text)


@pytest.fixture
def wall() -> Clock:
    return Clock(FRIDAY)


@pytest.fixture
def vienna(sqlite_url: str, wall: Clock) -> Desk:
    """SQLite, because its deciding clock is the host's: this test sets it."""
    desk = Desk(Database(sqlite_url, clock=wall), Settings(timezone="Europe/Vienna"))
    policy(desk, mode="window", desk_hours=OFFICE)
    return desk


def runs(found: Action) -> str:
    return to_rfc3339(found.execute_at or 0)


def test_a_window_goes_on_when_the_desk_opens(vienna: Desk) -> None:
    """CONTRACT, `window_seconds`; across the night that has an hour twice."""
    made = drafted(vienna)
    assert runs(made) == "2026-10-26T08:03:01.000Z"
    assert made.decision["desk_hours"] == OFFICE
    assert made.decision["timezone"] == "Europe/Vienna"
    vienna.db.close()


def test_what_was_left_of_it_is_left_after_a_hold(vienna: Desk, wall: Clock) -> None:
    """CONTRACT, `release`: the time that was left; nights are not among it."""
    made = drafted(vienna)
    wall.show("2026-10-23T17:59:00+02:00")
    clock.hold(vienna, made.id, ANA)
    wall.show("2026-10-26T10:00:00+01:00")
    assert runs(clock.release(vienna, made.id, ANA)) == "2026-10-26T09:04:01.000Z"
    wall.show("2026-10-26T10:03:59+01:00")
    clock.hold(vienna, made.id, ANA)
    assert runs(clock.release(vienna, made.id, ANA)) == "2026-10-26T09:04:29.000Z", "30 s at least"
    vienna.db.close()


def test_what_the_breaker_held_has_its_whole_window(vienna: Desk, wall: Clock) -> None:
    """It never had a time; released in the evening it runs in the morning."""
    policy(vienna, burst="1/60")
    drafted(vienna)
    beyond = drafted(vienna)
    assert beyond.state is State.HELD
    wall.show("2026-10-23T20:00:00+02:00")
    assert runs(clock.release(vienna, beyond.id, ANA)) == "2026-10-26T08:05:01.000Z"
    vienna.db.close()


def test_an_extension_is_open_time(vienna: Desk, wall: Clock) -> None:
    """CONTRACT, `extension`: later by that much of what counts."""
    wall.show("2026-10-23T17:50:00+02:00")
    made = drafted(vienna)
    assert runs(made) == "2026-10-23T15:55:01.000Z"
    extended = clock.extend(vienna, made.id, ANA, seconds=600)
    assert runs(extended) == "2026-10-26T08:05:01.000Z"
    assert extended.extended == 600 * SECOND
    vienna.db.close()


def tomorrow(desk: Desk) -> DeskHours:
    day = DAYS[(to_datetime(desk.now()).weekday() + 1) % 7]
    hours = read_hours(f"{day} 00:00-24:00")
    assert hours is not None
    return hours


def test_what_is_left_is_told_on_both_databases(desk: Desk) -> None:
    """By the event that held it, whoever asks and whenever."""
    hours, utc = tomorrow(desk), ZoneInfo("UTC")
    policy(desk, desk_hours=str(hours))
    held = clock.hold(desk, drafted(desk).id, ANA)
    later = desk.now() + 9 * 86_400 * SECOND
    with desk.db.read() as tx:
        left = open_hours.left(tx, held, later)
    assert left is not None
    wanted = add_open(later, 300 * SECOND, hours, utc) + SECOND - later
    assert abs(left - wanted) < SECOND


def test_a_window_by_the_clock_alone_is_left_alone(desk: Desk) -> None:
    """What people were shown counts, not what an admin has set since."""
    made = drafted(desk)
    policy(desk, desk_hours=str(tomorrow(desk)))
    held = clock.hold(desk, made.id, ANA)
    with desk.db.read() as tx:
        assert open_hours.left(tx, held, desk.now()) is None
    released = clock.release(desk, made.id, ANA)
    assert (released.execute_at or 0) < desk.now() + 302 * SECOND
    extended = clock.extend(desk, made.id, ANA, seconds=60)
    assert (extended.execute_at or 0) == (released.execute_at or 0) + 60 * SECOND
