"""Screens that lose the line again and again, or sleep, show what one shows that never did."""

import random

from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage

ROUNDS = 200

_ROWS = """() => Array.from(document.querySelectorAll("li[data-action]"), (row) =>
  [row.dataset.action, row.dataset.state, Number(row.dataset.version)])"""


def test_two_hundred_cuts_miss_nothing_and_double_nothing(stage: Stage, screen: Screen) -> None:
    """Promise 10. A cut comes at any moment: before a change, after it, or on its way."""
    page, chance = screen.page, random.Random(5)
    screen.live()
    made: list[str] = []
    live: list[str] = []
    for number in range(ROUNDS):
        page.evaluate("dispatchEvent(new Event('offline'))")
        if number % 2 == 0:
            made.append(stage.draft("reply", summary=f"round {number}"))
            live.append(made[-1])
        else:
            stage.cancel(live.pop(chance.randrange(len(live))))
        page.evaluate("dispatchEvent(new Event('online'))")
        if chance.random() < 0.2:
            screen.live()
    screen.live()
    last = stage.draft("reply", summary="after all of them")
    screen.row(last).wait_for(state="attached")
    found = page.evaluate(_ROWS)
    assert len({row[0] for row in found}) == len(found)
    shown = {action_id: (state, version) for action_id, state, version in found}
    for action_id in made:
        now = stage.look(action_id)
        assert shown[action_id] == (now["state"], now["version"])


def test_a_screen_that_slept_shows_what_happened_meanwhile(stage: Stage, screen: Screen) -> None:
    """wireapp/wire-webapp#21477: nothing is loaded anew, and nobody has to press anything."""
    screen.live()
    cancelled = stage.draft()
    screen.row(cancelled).wait_for()
    screen.page.evaluate("window.before = true")
    chromium = screen.page.context.new_cdp_session(screen.page)
    chromium.send("Page.setWebLifecycleState", {"state": "frozen"})
    stage.cancel(cancelled)
    new = stage.draft("label")
    chromium.send("Page.setWebLifecycleState", {"state": "active"})
    expect(screen.row(new)).to_have_count(1)
    expect(screen.row(cancelled)).to_have_attribute("data-state", "cancelled")
    assert screen.page.evaluate("window.before")
