"""What a person chooses, in real browsers: times in their zone, notices that name no customer."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage
from webapp.services import clock
from webapp.services.caller import Caller

RECORD = """
window.shown = [];
window.Notification = class extends EventTarget {
  static permission = "granted";
  constructor(title, options) { super(); window.shown.push([title, options.tag]); }
};
document.hasFocus = () => window.looked ?? false;
"""


@pytest.fixture
def choosing(stage: Stage, open_screen: Callable[..., Screen]) -> Iterator[Callable[..., Screen]]:
    """`choosing(**options)`: Cleo's browser on the page; she is as everybody afterwards."""
    opened: list[Screen] = []

    def open_page(**options: Any) -> Screen:
        screen = open_screen("cleo", **options)
        opened.append(screen)
        screen.page.goto(f"{stage.url}/preferences")
        return screen

    yield open_page
    page = opened[0].page
    page.goto(f"{stage.url}/preferences")
    page.get_by_label("Time zone").fill("")
    page.get_by_label("Comfortable").check()
    page.get_by_label("Tell me when").uncheck()
    _save(opened[0])


def test_times_are_in_the_zone_that_was_chosen(
    stage: Stage, choosing: Callable[..., Screen]
) -> None:
    """Not in the browser's; live rows, which come in the desk's, too."""
    screen = choosing(timezone_id="America/New_York")
    page = screen.page
    page.get_by_label("Time zone").fill("Nowhere/At all")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("is no zone that this desk knows")).to_be_visible()
    screen.complaints.clear()  # the browser logs the 400
    page.get_by_label("Time zone").fill("Asia/Kolkata")
    page.get_by_label("Compact").check()
    _save(screen)
    before = stage.draft()
    page.goto(stage.url)
    screen.live()
    after = stage.draft()
    for one in (before, after):
        expect(screen.row(one).locator(".when small")).to_have_text(re.compile(" IST$"))
    expect(page.locator("html")).to_have_attribute("data-density", "compact")


@pytest.mark.parametrize(("scripts", "zone"), [(True, "IST"), (False, "UTC")])
def test_an_actions_page_names_the_zone_of_its_times(
    stage: Stage, open_screen: Callable[..., Screen], scripts: bool, zone: str
) -> None:
    """It is printed and passed on. Without a script it is the desk's."""
    action_id = stage.draft()
    stage.cancel(action_id)
    page = open_screen(timezone_id="Asia/Kolkata", java_script_enabled=scripts).page
    page.goto(f"{stage.url}/actions/{action_id}")
    expect(page.locator(".trail .day:visible")).to_have_text(re.compile(rf"\d{{4}}, {zone}$"))
    expect(page.locator(".trail li:not(.day) time").first).to_have_text(re.compile(r"\.\d{3}$"))
    for time in page.locator("[data-receipt] time").all():
        expect(time).to_have_text(re.compile(rf"\.\d{{3}} {zone}$"))


def test_a_day_is_the_readers(stage: Stage, open_screen: Callable[..., Screen]) -> None:
    """What is one day for the desk may be two for who reads, and the other way round."""
    page = open_screen(timezone_id="Asia/Kolkata").page
    page.goto(f"{stage.url}/actions/{stage.draft()}")
    shown = page.evaluate(
        """async (times) => {
          const { localize } = await import("desk/zones.js");
          const trail = document.createElement("ol");
          trail.className = "trail";
          trail.innerHTML = times.map((at) =>
            `<li class="day"><time datetime="${at}" data-as="heading"></time></li>`).join("");
          const root = document.createElement("div");
          root.append(trail);
          localize(root);
          return [...trail.children].filter((one) => !one.hidden).map((one) => one.textContent);
        }""",
        ["2026-11-10T18:00:00Z", "2026-11-10T19:00:00Z", "2026-11-11T01:00:00Z"],
    )
    assert shown == ["10 Nov 2026, IST", "11 Nov 2026, IST"]


def test_a_notice_comes_while_nobody_looks(stage: Stage, choosing: Callable[..., Screen]) -> None:
    """One a change, without the customer's name; none for who looks, or has not asked for them."""
    screen = choosing()
    page = screen.page
    page.context.add_init_script(RECORD)
    one, two, three = (stage.draft() for _ in range(3))

    def held(action_id: str) -> None:
        clock.hold(stage.services, action_id, Caller.command(), reason="a test looks")
        expect(screen.row(action_id)).to_have_attribute("data-state", "held")

    page.goto(stage.url)
    screen.live()
    held(one)
    assert page.evaluate("shown") == []
    page.goto(f"{stage.url}/preferences")
    expect(page.get_by_text("This browser shows them.")).to_be_visible()
    page.get_by_label("Tell me when").check()
    _save(screen)
    page.goto(stage.url)
    screen.live()
    held(two)
    assert page.evaluate("shown") == [["Refund ₹4,250.00 is held for a person", f"{two}:held"]]
    page.evaluate("window.looked = true")
    held(three)
    assert len(page.evaluate("shown")) == 1
    for action_id in (one, two, three):
        stage.cancel(action_id)


def _save(screen: Screen) -> None:
    screen.page.get_by_role("button", name="Save").click()
    expect(screen.page.get_by_text("Saved.")).to_be_visible()
