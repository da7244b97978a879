"""Without JavaScript, by keyboard alone, with hostile texts, for everybody's eyes."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage


def test_without_scripts_a_form_post_cancels(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    action_id = stage.draft()
    screen = open_screen(java_script_enabled=False)
    screen.button(action_id, "cancel").click()
    expect(screen.row(action_id)).to_have_attribute("data-state", "cancelled")
    expect(screen.page.get_by_role("status").first).to_contain_text("Nothing happened.")


def test_without_scripts_a_reason_goes_along(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    stage.policy("label", mode="approval")
    action_id, other = stage.draft("label"), stage.draft("label")
    stage.policy("label", mode="window")
    screen = open_screen(java_script_enabled=False)
    screen.button(action_id, "reject").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("The text is required")
    expect(screen.row(action_id)).to_have_attribute("data-state", "awaiting_approval")
    note = screen.row(action_id).get_by_label("Why it is rejected")
    expect(note).to_be_hidden()
    for one in (other, action_id):
        screen.row(one).locator(".asked summary").click()
    screen.row(other).get_by_label("Why it is rejected").fill("another row's text")
    note.fill("no such parcel")
    screen.button(action_id, "reject").click()
    expect(screen.row(action_id)).to_have_attribute("data-state", "rejected")
    expect(screen.row(action_id)).to_contain_text("Rejected by Ana: “no such parcel”")
    expect(screen.row(other)).to_have_attribute("data-state", "awaiting_approval")


def test_without_scripts_a_lost_race_is_told(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    stage.policy("reply", window_seconds=3)
    action_id = stage.draft("reply")
    stage.policy("reply", window_seconds=600)
    screen = open_screen(java_script_enabled=False)
    stage.until(action_id, "executed")
    screen.button(action_id, "cancel").click()
    expect(screen.row(action_id)).to_have_attribute("data-outcome", "too_late")
    expect(screen.button(action_id, "compensate")).to_be_visible()


@pytest.mark.parametrize("number", ["1", "999+"])
def test_the_bar_has_room_for_all_in_a_narrow_window(
    stage: Stage, open_screen: Callable[..., Screen], number: str
) -> None:
    screen = open_screen("ida", viewport={"width": 320, "height": 640})
    screen.live()
    page = screen.page
    page.locator("[data-waiting]").evaluate("(one, number) => one.textContent = number", number)
    nav = page.get_by_role("navigation", name="Pages")
    assert nav.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    brand, end = (page.locator(f".bar .{one}").bounding_box() for one in ("brand", "end"))
    assert brand
    assert end
    assert end["y"] < brand["y"] + brand["height"], "beside it, not below"


def test_the_first_link_leads_to_the_rows(stage: Stage, screen: Screen) -> None:
    stage.draft()
    screen.live()
    keyboard = screen.page.keyboard
    keyboard.press("Tab")
    expect(screen.page.get_by_role("link", name="Skip to the feed")).to_be_focused()
    keyboard.press("Enter")
    keyboard.press("Tab")
    first = screen.page.locator("li[data-action]:visible").first
    expect(first.get_by_role("checkbox")).to_be_focused()


def test_the_button_that_asks_is_the_one_that_sends(stage: Stage, screen: Screen) -> None:
    stage.policy("label", mode="approval")
    action_id = stage.draft("label")
    stage.policy("label", mode="window")
    reject, row = screen.button(action_id, "reject"), screen.row(action_id)
    note = row.get_by_label("Why it is rejected")
    expect(reject).to_have_text("Reject…", use_inner_text=True)
    for _ in range(2):
        reject.click()
        expect(note).to_be_focused()
        expect(reject).to_have_text("Reject", use_inner_text=True)
        screen.page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        expect(reject).to_be_focused()
        expect(reject).to_have_text("Reject…", use_inner_text=True)
    reject.click()
    # a child is drafted: the parent's row comes again
    stage.draft("reply", depends_on=[action_id])
    expect(row).to_contain_text("also stops 1 more")
    expect(reject).to_have_text("Reject", use_inner_text=True)
    note.fill("no such parcel")
    screen.page.keyboard.press("Control+Enter")
    expect(row).to_have_attribute("data-state", "rejected")


def test_the_keyboard_is_enough(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft()
    screen.row(action_id).wait_for()
    keyboard = screen.page.keyboard
    for _ in range(400):
        keyboard.press("Tab")
        if screen.button(action_id, "cancel").evaluate("(one) => one === document.activeElement"):
            break
    button = screen.button(action_id, "cancel")
    expect(button).to_be_focused()
    outline = button.evaluate("(one) => getComputedStyle(one).outlineStyle")
    assert outline == "solid", "the focus must be visible"
    keyboard.press("Enter")
    expect(screen.row(action_id)).to_have_attribute("data-state", "cancelled")
    # the focus stays in the row, on something that a second press does no harm to
    expect(screen.row(action_id).locator(".title a")).to_be_focused()
    again = screen.button(action_id, "again")
    for _ in range(4):  # what its marks mean can be opened, and comes before its buttons
        keyboard.press("Tab")
        if again.evaluate("(one) => one === document.activeElement"):
            break
    expect(again).to_be_focused()
    keyboard.press("Space")
    expect(screen.row(action_id)).to_contain_text("Scheduled again")


def test_the_focus_stays_on_a_button_while_its_row_changes(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft()
    screen.button(action_id, "cancel").focus()
    stage.extend(action_id)
    expect(screen.row(action_id)).to_have_attribute("data-version", "2")
    expect(screen.button(action_id, "cancel")).to_be_focused()


def test_a_note_that_somebody_writes_survives_a_live_frame(stage: Stage, screen: Screen) -> None:
    stage.policy("label", mode="approval")
    action_id = stage.draft("label")
    stage.policy("label", mode="window")
    screen.button(action_id, "reject").click()
    note = screen.row(action_id).get_by_label("Why it is rejected")
    note.fill("half a sen")
    # a child is drafted: the parent's row comes again
    stage.draft("reply", depends_on=[action_id])
    expect(screen.row(action_id)).to_contain_text("also stops 1 more")
    expect(note).to_have_value("half a sen")
    expect(note).to_be_focused()


HOSTILE = (
    "<b>x</b><script>window.bad=1</script> \u202egnp.exe\u202c \u200bzero <img src=x onerror=bad=1>"
)


def test_hostile_texts_are_inert(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft(
        "reply",
        summary=HOSTILE,
        reason=HOSTILE,
        order="B-<i>1</i>",
        payload={"to": "m@example.com", "subject": "<b>Hi</b>", "body": HOSTILE},
        customer={"ref": "c-<b>", "name": "Mallory <b>"},
    )
    row = screen.row(action_id)
    for place in (row, screen.page.locator("main")):
        expect(place).to_contain_text("<script>window.bad=1</script>")
        expect(place).to_contain_text("U+202E")
        expect(place).to_contain_text("U+200B")
        expect(place.locator("img, script")).to_have_count(0)
        assert "\u202e" not in place.inner_text()
        assert screen.page.evaluate("window.bad") is None
        screen.page.goto(f"{stage.url}/actions/{action_id}")


def test_listeners_hear_what_a_button_stops(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft()
    name = re.compile("Cancel refund of ₹4,250.00 for Meera K.")
    expect(screen.button(action_id, "cancel")).to_have_accessible_name(name)
    screen.button(action_id, "cancel").click()
    expect(screen.page.locator("[data-announce]")).to_contain_text("Nothing happened")
