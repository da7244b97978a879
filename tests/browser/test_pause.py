"""Pausing from the bar, by keyboard and without scripts; the page for everybody's eyes."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage
from webapp.services import pause


def by_keyboard(screen: Screen, why: str, choice: str | None = None) -> None:
    """From the bar to a pause without a pointer."""
    page = screen.page
    page.get_by_role("link", name="Pause…").press("Enter")
    expect(page.get_by_label("Why")).to_be_focused()
    page.keyboard.type(why)
    if choice is not None:
        page.keyboard.press("Tab")
        radio = page.get_by_role("radio", name=re.compile(f"^{choice} "))
        for _ in range(30):
            if radio.is_checked():
                break
            page.keyboard.press("ArrowDown")
        expect(radio).to_be_focused()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("scripts", [True, False])
def test_one_kind_is_paused_and_resumed_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen], scripts: bool
) -> None:
    screen = open_screen(java_script_enabled=scripts)
    stage.policy("label", mode="window")
    action_id = stage.draft("label")
    by_keyboard(screen, "carrier is down", "Return label")
    banner = screen.page.locator("[data-pauses]")
    expect(banner).to_contain_text("Return label paused by Ana")
    expect(banner).to_contain_text("carrier is down")
    (stands,) = pause.standing(stage.services)
    assert (stands.kind, stands.agent, stands.paused_by) == ("label", None, "staff:ana@example.com")
    screen.page.get_by_role("button", name="Resume").press("Enter")
    expect(banner).not_to_contain_text("paused")
    assert pause.standing(stage.services) == []
    stage.cancel(action_id)


def test_everything_is_paused_with_two_keys_and_a_reason(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    screen = open_screen()
    by_keyboard(screen, "look first")
    expect(screen.page.locator("[data-pauses]")).to_contain_text("Everything is paused by Ana")
    screen.page.get_by_role("button", name="Resume").click()
    stage.wait(lambda: pause.standing(stage.services) == [])


def test_the_preview_stands_beside_each_choice(stage: Stage, screen: Screen) -> None:
    made = [stage.draft(), stage.draft("reply")]
    screen.page.goto(f"{stage.url}/pause")
    everything = screen.page.locator("label").filter(has_text=re.compile(r"^\s*Everything"))
    expect(everything).to_contain_text(re.compile(r"\d+ scheduled, the next due in \d+:"))
    expect(everything).to_contain_text(re.compile(r"\d+ × Reply, next in \d+:"))
    agents = screen.page.get_by_role("group", name="One agent")
    expect(agents).to_contain_text(re.compile(r"returns-agent\s+\d+ scheduled"))
    assert pause.standing(stage.services) == []
    for one in made:
        stage.cancel(one)


def test_without_a_reason_nothing_is_paused(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    action_id = stage.draft()
    screen = open_screen()
    page = screen.page
    page.goto(f"{stage.url}/pause")
    page.get_by_role("radio", name=re.compile(r"^Refund \d")).check()
    page.get_by_label("Why").fill("   ")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing is paused.")
    expect(page.get_by_label("Why")).to_have_accessible_description(re.compile("is required"))
    expect(page.get_by_role("radio", name=re.compile(r"^Refund \d"))).to_be_checked()
    screen.complaints.clear()  # the browser logs the 400
    stage.cancel(action_id)
