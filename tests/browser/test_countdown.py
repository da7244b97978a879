"""Countdowns run by the server's time."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stage import Screen, Stage

AWAY = timedelta(minutes=10)


def _seconds(text: str) -> int:
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + int(seconds)


def _left(stage: Stage, action_id: str) -> float:
    cancel_by = datetime.fromisoformat(stage.look(action_id)["cancel_by"])
    return (cancel_by - datetime.now(UTC)).total_seconds()


def test_a_countdown_ticks_and_names_its_deadline(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft()
    time = screen.row(action_id).locator("time[data-deadline]")
    expect(time).to_have_text(re.compile(r"^(10:00|9:5\d)$"))
    first = time.inner_text()
    expect(time).not_to_have_text(first)
    assert _seconds(time.inner_text()) < _seconds(first)
    found = stage.look(action_id)
    assert time.get_attribute("data-deadline") == found["cancel_by"]
    assert time.get_attribute("data-execute-at") == found["execute_at"]


@pytest.mark.parametrize("skew", [AWAY, -AWAY], ids=["fast", "slow"])
def test_a_wrong_browser_clock_changes_nothing(
    stage: Stage, open_screen: Callable[..., Screen], skew: timedelta
) -> None:
    """ParabolInc/parabol#13353, bigbluebutton/bigbluebutton#25311."""
    action_id = stage.draft()

    def wrong_clock(page: Page) -> None:
        page.clock.install(time=datetime.now(UTC) + skew)

    screen = open_screen(prepare=wrong_clock)
    screen.live()
    time = screen.row(action_id).locator("time[data-deadline]")
    expect(time).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    assert abs(_seconds(time.inner_text()) - _left(stage, action_id)) < 3


def test_at_zero_a_row_says_due_and_can_still_be_cancelled(stage: Stage, screen: Screen) -> None:
    """State decides, not the clock: nothing is claimed while the desk is paused."""
    stage.policy("reply", window_seconds=1)
    with stage.paused():
        action_id = stage.draft("reply")
        stage.policy("reply", window_seconds=600)
        time = screen.row(action_id).locator("time[data-deadline]")
        expect(time).to_have_text("due")
        expect(screen.row(action_id)).to_have_attribute("data-state", "scheduled")
        screen.button(action_id, "cancel").click()
        expect(screen.row(action_id)).to_have_attribute("data-state", "cancelled")
    assert stage.look(action_id)["state"] == "cancelled"
