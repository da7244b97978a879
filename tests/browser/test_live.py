"""The line to the desk: several screens, cuts, reloads."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Held, Screen, Stage


def test_two_people_see_the_same_row(stage: Stage, open_screen: Callable[..., Screen]) -> None:
    ana, bo = open_screen("ana"), open_screen("bo")
    for screen in (ana, bo):
        expect(screen.page.locator("[data-watching]")).to_have_text("Ana, Bo watching")
    action_id = stage.draft()
    bo.button(action_id, "hold").click()
    expect(ana.row(action_id)).to_have_attribute("data-state", "held")
    expect(ana.row(action_id)).to_contain_text("by Bo")
    ana.button(action_id, "cancel").click()
    expect(bo.row(action_id)).to_have_attribute("data-state", "cancelled")
    expect(bo.row(action_id)).to_contain_text("Cancelled by Ana while it was held")


def test_who_is_second_hears_that_it_changed(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    line = Held()
    ana = open_screen("ana", prepare=line.prepare)
    bo = open_screen("bo")
    action_id = stage.draft()
    ana.row(action_id).wait_for()
    line.holding = True
    bo.button(action_id, "extend").click()
    expect(bo.row(action_id)).to_have_attribute("data-version", "2")
    ana.button(action_id, "hold").click()
    expect(ana.row(action_id)).to_contain_text("It changed since you saw it")
    expect(ana.row(action_id)).to_have_attribute("data-version", "2")
    line.let_go()
    ana.button(action_id, "hold").click()
    expect(ana.row(action_id)).to_have_attribute("data-state", "held")
    expect(ana.row(action_id)).not_to_contain_text("It changed since")


def test_a_cut_line_misses_nothing(stage: Stage, open_screen: Callable[..., Screen]) -> None:
    """wireapp/wire-webapp#21477; no reload, and no row twice."""
    line = Held()
    screen = open_screen(prepare=line.prepare)
    screen.live()
    changed, untouched = stage.draft(), stage.draft("reply")
    screen.row(untouched).wait_for()
    screen.page.evaluate("window.before = true")

    screen.page.context.set_offline(True)
    line.routes[-1].close()
    screen.page.locator('[data-line="lost"]').wait_for()
    new = [stage.draft("label", summary=f"while away {number}") for number in range(3)]
    stage.cancel(changed)
    screen.page.context.set_offline(False)

    screen.live()
    for action_id in new:
        expect(screen.row(action_id)).to_have_count(1)
    expect(screen.row(changed)).to_have_attribute("data-state", "cancelled")
    expect(screen.row(untouched)).to_have_count(1)
    assert screen.page.evaluate("window.before")
    screen.complaints.clear()  # the browser logs attempts to connect while it is offline


def test_a_reload_keeps_everything(stage: Stage, screen: Screen) -> None:
    cancelled, held, scheduled = stage.draft(), stage.draft(), stage.draft()
    screen.button(cancelled, "cancel").click()
    screen.button(held, "hold").click()
    expect(screen.row(held)).to_have_attribute("data-state", "held")
    expect(screen.row(cancelled)).to_have_attribute("data-state", "cancelled")

    def rows() -> dict[str, str]:
        """Each row's words, but for what counts."""
        return {
            action_id: screen.row(action_id).evaluate(
                """(row) => {
                  const copy = row.cloneNode(true);
                  copy.querySelector("time[data-deadline]:not([datetime])")?.remove();
                  copy.querySelector(".ago")?.remove();
                  return copy.textContent;
                }"""
            )
            for action_id in (cancelled, held, scheduled)
        }

    before = rows()
    screen.page.reload()
    screen.live()
    assert rows() == before


def test_the_order_stays_while_somebody_points_at_a_row(stage: Stage, screen: Screen) -> None:
    """blockscout/blockscout#690."""
    pointed_at = stage.draft(not_before=stage.later(3_000))
    row = screen.row(pointed_at)
    row.scroll_into_view_if_needed()
    screen.button(pointed_at, "hold").hover()
    before = row.bounding_box()
    sooner = stage.draft()
    waits = screen.page.locator(f'[data-newcomers] [data-action="{sooner}"]')
    expect(waits).to_have_count(1)
    assert row.bounding_box() == before
    screen.page.mouse.move(1, 1)
    in_order = f'[data-group="later"] [data-action="{sooner}"] ~ [data-action="{pointed_at}"]'
    expect(screen.page.locator(in_order)).to_have_count(1)


@pytest.mark.parametrize(
    ("seconds", "before", "after"), [(304, "later", "five"), (64, "five", "minute")]
)
def test_a_row_moves_on_as_its_time_comes(
    stage: Stage, screen: Screen, seconds: int, before: str, after: str
) -> None:
    screen.live()
    stage.policy("reply", window_seconds=seconds)
    action_id = stage.draft("reply")
    stage.policy("reply", window_seconds=600)
    here = f'li[data-action="{action_id}"]'
    screen.page.locator(f'[data-group="{before}"] {here}').wait_for()
    screen.page.locator(f'[data-group="{after}"] {here}').wait_for()


def test_what_waits_for_another_action_stands_apart(stage: Stage, screen: Screen) -> None:
    parent = stage.draft()
    screen.button(parent, "hold").click()
    expect(screen.row(parent)).to_have_attribute("data-state", "held")
    screen.page.locator("h1").evaluate("() => document.activeElement.blur()")
    screen.page.mouse.move(1, 1)
    stage.policy("reply", window_seconds=1)
    child = stage.draft("reply", depends_on=[parent])
    stage.policy("reply", window_seconds=600)
    here = f'[data-group="waits"] li[data-action="{child}"]'
    screen.row(child).wait_for(state="attached")
    for _ in range(2):
        screen.page.reload()
        expect(screen.page.locator(f"{here} time")).to_have_text("waits")
    screen.live()
    stage.cancel(parent)
    expect(screen.row(child)).to_have_attribute("data-state", "cancelled")


def test_everything_can_be_paused_from_the_bar(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    ana, bo = open_screen("ana"), open_screen("bo")
    bo.live()
    ana.page.get_by_role("link", name="Pause…").click()
    ana.page.get_by_label("Why").fill("the provider is down")
    ana.page.get_by_role("button", name="Pause").click()
    expect(ana.page.locator("[data-pauses]")).to_contain_text("the provider is down")
    banner = bo.page.locator("[data-pauses]")
    expect(banner).to_contain_text("Everything is paused by Ana")
    bo.page.get_by_role("button", name="Resume").click()
    expect(banner).not_to_contain_text("paused")


def test_what_was_on_screen_is_recorded_once_it_was_there_for_a_second(
    stage: Stage, screen: Screen
) -> None:
    seen = stage.draft()
    screen.row(seen).scroll_into_view_if_needed()
    stage.wait(lambda: stage.look(seen)["first_viewed_at"] is not None)


def test_a_signed_out_screen_says_so(stage: Stage, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen("cleo")
    screen.live()
    tab = screen.page.context.new_page()
    tab.goto(f"{stage.url}/")
    tab.locator("details.menu summary").last.click()
    tab.get_by_role("button", name="Sign out").click()
    tab.wait_for_url("**/login*")
    screen.page.locator('[data-line="out"]').wait_for()
    stage.sessions.pop("cleo")
    screen.page.close()
    screen.complaints.clear()  # the browser logs a report of views that came after the end
