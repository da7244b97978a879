"""Cancelling on the feed: one click, and the row says what the server said."""

import re
from collections.abc import Callable

from playwright.sync_api import APIResponse, Route, expect

from tests.browser.stage import Held, Screen, Stage
from webapp.domain.times import SECOND, from_rfc3339


def test_one_click_cancels_and_the_row_says_so(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft()
    row = screen.row(action_id)
    screen.button(action_id, "cancel").click()
    expect(row).to_have_attribute("data-state", "cancelled")
    expect(row).to_contain_text(
        re.compile(r"Nothing happened. Cancelled by Ana with (10:00|9:5\d) left")
    )
    expect(row).to_contain_text(re.compile(r"left, [1-9] s ago\."))  # and goes on counting
    expect(row.locator("[data-do=cancel]")).to_have_count(0)
    assert stage.look(action_id)["cancelled_by"] == "staff:ana@example.com"


def test_a_lost_race_shows_the_truth_and_the_way_back_without_a_reload(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    """dbos-inc/dbos-transact-py#767: a cancel that lost must not vanish without a word."""
    line = Held()
    screen = open_screen(prepare=line.prepare)
    screen.live()
    stage.policy("label", window_seconds=2)
    action_id = stage.draft("label")
    stage.policy("label", window_seconds=600)
    row = screen.row(action_id)
    row.wait_for()
    screen.page.evaluate("window.before = true")
    line.holding = True
    stage.until(action_id, "executed")
    expect(row).to_have_attribute("data-state", "scheduled")

    screen.button(action_id, "cancel").click()
    expect(row).to_have_attribute("data-outcome", "too_late")
    expect(row).to_contain_text(
        re.compile(r"It ran at [\d:.]{12} \S+, the cancel by Ana arrived at [\d:.]{12} \S+\.")
    )
    expect(row).to_contain_text("The label can be voided until it is scanned.")
    way_back = row.locator('button[data-do="compensate"][data-compensation="void"]')
    way_back.click()
    expect(row).to_contain_text("Label void: scheduled")
    expect(way_back).to_have_count(0)
    assert screen.page.evaluate("window.before")
    line.let_go()

    [repair] = stage.look(action_id)["compensated_by"]
    expect(screen.row(repair)).to_have_attribute("data-state", "scheduled")


def test_a_correction_asks_for_its_text_in_the_row(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft("reply")
    screen.button(action_id, "run-now").click()
    row = screen.row(action_id)
    expect(row).to_have_attribute("data-state", "executed")
    screen.button(action_id, "compensate").click()
    note = row.get_by_label("What the customer should read")
    expect(note).to_be_focused()
    note.fill("Please ignore our last mail.")
    screen.button(action_id, "compensate").click()
    expect(row).to_contain_text("Correction: scheduled")
    [repair] = stage.look(action_id)["compensated_by"]
    assert stage.look(repair)["payload"]["body"] == "Please ignore our last mail."


def test_a_failed_call_never_shows_cancelled(stage: Stage, screen: Screen) -> None:
    """macro-inc/macro#4187; the button stays, and a repeat has the same key."""
    action_id = stage.draft()
    row = screen.row(action_id)
    row.wait_for()
    keys: list[str] = []

    def lose_the_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        route.abort()

    screen.page.route("**/cancel?*", lose_the_answer)
    screen.button(action_id, "cancel").click()
    expect(row).to_contain_text("nothing is known")
    expect(row).to_have_attribute("data-state", "scheduled")
    screen.page.unroute("**/cancel?*")

    def look(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        route.continue_()

    screen.page.route("**/cancel?*", look)
    screen.button(action_id, "cancel").click()
    expect(row).to_have_attribute("data-state", "cancelled")
    expect(row).not_to_contain_text("nothing is known")
    assert len(keys) == 2
    assert len(set(keys)) == 1
    screen.complaints.clear()  # the browser logs the call that was cut


def test_a_button_that_a_frame_brings_waits_for_the_answer_of_the_last_press(
    stage: Stage, screen: Screen
) -> None:
    """The row was still busy with the cancel, and a press on what it then showed did nothing."""
    action_id = stage.draft()
    row = screen.row(action_id)
    row.wait_for()
    screen.live()
    kept: list[tuple[Route, APIResponse]] = []
    screen.page.route("**/cancel?*", lambda route: kept.append((route, route.fetch())))
    screen.button(action_id, "cancel").click()
    expect(row).to_have_attribute("data-state", "cancelled")  # by the socket
    expect(row).to_have_attribute("aria-busy", "true")
    screen.button(action_id, "again").click()
    ((route, response),) = kept
    route.fulfill(response=response)
    expect(row).to_contain_text("Scheduled again")


def test_a_press_that_waits_is_for_the_version_that_was_seen(stage: Stage, screen: Screen) -> None:
    """What changed between the press and its turn, nobody has looked at."""
    action_id = stage.draft()
    row = screen.row(action_id)
    row.wait_for()
    screen.live()
    kept: list[Route] = []
    # a method of the language itself is no handler to Playwright
    screen.page.route("**/extend?*", lambda route: kept.append(route))  # noqa: PLW0108
    screen.button(action_id, "extend").click()
    screen.button(action_id, "hold").click()
    stage.extend(action_id)
    expect(row).to_have_attribute("data-version", "2")  # by the socket
    with screen.page.expect_response("**/hold?*") as told:
        kept[0].abort()
    assert "version=1" in told.value.url
    expect(row).to_have_attribute("data-state", "scheduled")
    screen.complaints.clear()  # the browser logs the call that was cut, and the 409


def test_more_time_pressed_faster_than_it_is_answered_is_given_each_time(
    stage: Stage, screen: Screen
) -> None:
    action_id = stage.draft()
    screen.row(action_id).wait_for()
    before = stage.look(action_id)["execute_at"]
    screen.button(action_id, "extend").focus()
    screen.page.evaluate("for (let i = 0; i < 5; i++) document.activeElement.click()")
    expect(screen.row(action_id)).to_have_attribute("data-version", "6")
    given = from_rfc3339(stage.look(action_id)["execute_at"]) - from_rfc3339(before)
    assert given == 5 * 60 * SECOND


def test_a_desk_that_cannot_commit_says_so_and_keeps_the_button(
    stage: Stage, screen: Screen
) -> None:
    action_id = stage.draft()
    row = screen.row(action_id)
    row.wait_for()
    problem = '{"code":"unavailable","detail":"The database cannot commit now."}'
    screen.page.route(
        "**/cancel?*",
        lambda route: route.fulfill(
            status=503, content_type="application/problem+json", body=problem
        ),
    )
    screen.button(action_id, "cancel").click()
    expect(row).to_contain_text("Press again in a moment")
    expect(row).to_have_attribute("data-state", "scheduled")
    expect(screen.button(action_id, "cancel")).to_be_enabled()
    screen.complaints.clear()  # the browser logs every 503


def test_a_double_click_cancels_once_and_schedules_nothing_again(
    stage: Stage, screen: Screen
) -> None:
    action_id = stage.draft()
    screen.button(action_id, "cancel").dblclick()
    row = screen.row(action_id)
    expect(row).to_have_attribute("data-state", "cancelled")
    expect(screen.button(action_id, "again")).to_be_visible()
    expect(row).not_to_contain_text("Scheduled again")


def test_what_a_cancel_also_stops_stands_open_while_it_changes(
    stage: Stage, screen: Screen
) -> None:
    """Issue 3, 5; promise 10: what was opened stays open, and says what holds by now."""
    top = stage.draft()
    middle = stage.draft("reply", depends_on=[top], summary="Tell Meera")
    row, button = screen.row(top), screen.button(top, "cancel")
    expect(button).to_have_accessible_name(re.compile("Meera K., which also stops 1 more$"))
    listed = row.get_by_role("listitem")
    expect(listed).to_be_hidden()
    row.get_by_text("also stops 1 more").focus()
    screen.page.keyboard.press("Enter")
    expect(listed).to_have_text(["Reply “Tell Meera” · scheduled"])
    low = stage.draft("label", depends_on=[middle], summary="Send a label")
    expect(row.locator("summary", has_text="also stops 2 more")).to_be_focused()
    expect(listed).to_have_text(
        ["Reply “Tell Meera” · scheduled", "Return label “Send a label” · scheduled"]
    )
    expect(button).to_have_accessible_name(re.compile("which also stops 2 more$"))
    stage.cancel(low)
    expect(listed).to_have_text(["Reply “Tell Meera” · scheduled"])
    listed.get_by_role("link", name="Reply").click()
    expect(screen.row(middle)).to_have_attribute("data-state", "scheduled")


def test_an_actions_page_says_what_a_cancel_also_stops(stage: Stage, screen: Screen) -> None:
    """Issue 3, 5: all of it, and it follows what is drafted and cancelled meanwhile."""
    top = stage.draft()
    screen.page.goto(f"{stage.url}/actions/{top}")
    screen.live()
    panel = screen.page.locator("[data-stopped]")
    expect(panel).to_have_count(0)
    middle = stage.draft("reply", depends_on=[top], summary="Tell Meera")
    expect(panel.get_by_role("heading")).to_have_text("A cancel also stops 1 more")
    low = stage.draft("label", depends_on=[middle], summary="Send a label")
    expect(panel.get_by_role("listitem")).to_have_text(
        ["Reply “Tell Meera”, scheduled", "Return label “Send a label”, scheduled"]
    )
    stage.cancel(low)
    expect(panel.get_by_role("heading")).to_have_text("A cancel also stops 1 more")
    screen.button(top, "cancel").click()
    expect(panel).to_have_count(0)


def test_a_cancel_takes_along_what_depends_on_it(stage: Stage, screen: Screen) -> None:
    parent = stage.draft()
    child = stage.draft("reply", depends_on=[parent])
    expect(screen.row(child)).to_contain_text("Waits for the refund")
    expect(screen.row(parent)).to_contain_text("also stops 1 more")
    screen.button(parent, "cancel").click()
    expect(screen.row(child)).to_have_attribute("data-state", "cancelled")
    expect(screen.row(child)).to_contain_text("It went along with the refund")
