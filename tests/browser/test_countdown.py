"""Countdowns run by the server's time."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import Screen, Stage

AWAY = timedelta(minutes=10)


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
        page.clock.install(time=datetime.now(UTC) + skew)

    screen = open_screen(prepare=wrong_clock)
    screen.live()
    time = screen.row(action_id).locator("time[data-deadline]")
    expect(time).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    assert abs(_seconds(_text(time)) - _left(stage, action_id)) < 3


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
        assert all(_seconds(text) <= left + 0.35 for text, left in counted)
        assert last == "due"
        assert -0.35 < over <= 0
        stage.cancel(action_id)


_TICKS = """async () => {
  const clock = await import("desk/clock.js");
  const first = document.querySelector('li[data-state="scheduled"]');
  const list = first.parentElement;
  const deadline = new Date(clock.serverNow() + 50000).toISOString();
  for (let number = 0; number < 3000; number += 1) {
    const row = first.cloneNode(true);
    row.dataset.action = `copy-${number}`;
    row.querySelector("time").dataset.deadline = deadline;
    list.append(row);
    clock.watchRow(row);
  }
  await new Promise((done) => setTimeout(done, 1000));
  const took = [];
  const set = window.setTimeout;
  window.setTimeout = (work, pause) => set(() => {
    const began = performance.now();
    work();
    took.push(performance.now() - began);
  }, pause);
  await new Promise((done) => set(done, 4000));
  window.setTimeout = set;
  return took.sort((one, other) => one - other);
}"""


def test_a_tick_over_thousands_of_rows_is_shorter_than_a_frame(
    stage: Stage, screen: Screen
) -> None:
    screen.row(stage.draft()).wait_for()
    took = screen.page.evaluate(_TICKS)
    assert len(took) >= 8
    assert took[len(took) // 2] < 16


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
