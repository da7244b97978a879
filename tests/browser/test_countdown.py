"""Countdowns run by the server's time."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import Screen, Stage

AWAY = timedelta(minutes=10)
EPOCH = datetime.fromtimestamp(0, UTC)
_WRONG_CLOCK = """
const Right = Date;
const now = () => Right.now() + %d;
globalThis.Date = class extends Right {
  constructor(...given) {
    super(...(given.length ? given : [now()]));
  }
  static now() {
    return now();
  }
};
"""


def _text(time: Locator) -> str:
    # Not its inner text: that is empty for a row below the screen, which is not laid out.
    return time.text_content() or ""


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
    first = _text(time)
    expect(time).not_to_have_text(first)
    assert _seconds(_text(time)) < _seconds(first)
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
        page.add_init_script(_WRONG_CLOCK % (skew.total_seconds() * 1000))

    screen = open_screen(prepare=wrong_clock)
    screen.live()
    time = screen.row(action_id).locator("time[data-deadline]")
    expect(time).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    assert abs(_seconds(_text(time)) - _left(stage, action_id)) < 30
    seen = screen.page.evaluate("[Date.now(), new Date().getTime()]")
    wrong = timedelta(milliseconds=min(seen, key=abs)) - (datetime.now(UTC) - EPOCH)
    assert abs(wrong - skew) < timedelta(seconds=30)


_SHOWN = """async ([id, until]) => {
  const { serverNow } = await import("desk/clock.js");
  const time = document.querySelector(`li[data-action="${id}"] time[data-deadline]`);
  const end = Date.parse(time.dataset.deadline);
  const found = [];
  await new Promise((done) => {
    const look = () => {
      found.push([time.textContent, (end - serverNow()) / 1000]);
      if (time.textContent === "due" || serverNow() > end + 2000) done();
      else setTimeout(look, 20);
    };
    look();
  });
  return found;
}"""


def test_a_countdown_never_promises_more_than_is_left(stage: Stage, screen: Screen) -> None:
    stage.policy("reply", window_seconds=4, margin_seconds=3)
    with stage.paused():
        action_id = stage.draft("reply")
        stage.policy("reply", window_seconds=600, margin_seconds=1)
        screen.row(action_id).wait_for()
        found = screen.page.evaluate(_SHOWN, [action_id, 0])
        *counted, (last, over) = found
        assert len(counted) > 50
        assert all(_seconds(text) <= left + 1 for text, left in counted)
        assert last == "due"
        assert -2 < over <= 0
        stage.cancel(action_id)


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
