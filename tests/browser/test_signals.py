"""The world changed: the row says so at once, and a person decides."""

from collections.abc import Callable

import pytest
import requests
from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage
from webapp.services import customers
from webapp.services.caller import Caller
from webapp.services.signal import signal


def test_a_signal_holds_the_row_on_screen_with_its_reason(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft(customer={"ref": "c-signal", "name": "Meera K."})
    screen.live()
    screen.row(action_id).wait_for()
    crm = Caller("agent:crm", "crm", "crm")
    signal(stage.services, crm, "customer_replied", customer="c-signal")
    row = screen.row(action_id)
    expect(row).to_have_attribute("data-state", "held")
    expect(row).to_contain_text("by crm")
    expect(row).to_contain_text("“the customer replied”")
    # it is seen where it stood for some seconds first (order.js, LINGER)
    needs = screen.page.locator('[data-group="needs"]')
    expect(needs.locator(row)).to_be_visible(timeout=10_000)


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("verb", "state"), [("release", "scheduled"), ("cancel", "cancelled")])
def test_it_is_released_or_cancelled_from_the_feed(
    stage: Stage, open_screen: Callable[..., Screen], scripts: bool, verb: str, state: str
) -> None:
    action_id = stage.draft(order="o-signal")
    done = signal(stage.services, Caller.command(), "order_changed", order="o-signal")
    assert done.held == [action_id]
    screen = open_screen(java_script_enabled=scripts)
    screen.button(action_id, verb).click()
    expect(screen.row(action_id)).to_have_attribute("data-state", state)
    assert stage.look(action_id)["state"] == state
    if state == "scheduled":
        stage.cancel(action_id)


def test_the_timeline_names_it(stage: Stage, screen: Screen) -> None:
    action_id = stage.draft(order="o-story")
    signal(stage.services, Caller.command(), "dispute_opened", order="o-story", note="case 7")
    signal(stage.services, Caller.command(), "customer_replied", order="o-story")
    screen.page.goto(f"{stage.url}/actions/{action_id}")
    trail = screen.page.locator(".trail")
    expect(trail).to_contain_text("“a dispute was opened: case 7”")
    expect(trail).to_contain_text("reported a change")
    expect(trail).to_contain_text("“the customer replied”")
    stage.cancel(action_id)


def test_over_http_an_agent_tells(stage: Stage) -> None:
    """The stage's own agent has no such scope."""
    answer = requests.post(
        f"{stage.url}/api/v1/signals",
        json={"type": "customer_replied", "customer": "c-1"},
        headers={"Authorization": f"Bearer {stage.token}"},
        timeout=10,
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("scripts", [True, False])
def test_who_flags_a_customer_is_asked_and_can_hold(
    stage: Stage, open_screen: Callable[..., Screen], scripts: bool
) -> None:
    action_id = stage.draft(customer={"ref": "c-odd"})
    page = open_screen("ida", java_script_enabled=scripts).page
    page.goto(f"{stage.url}/settings/customers")
    page.get_by_label("Customer").fill("c-odd")
    page.get_by_label("Why").fill("two cards")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("1 scheduled, the next due in")
    assert customers.flags(stage.services) == []
    page.get_by_role("button", name="Flag, and hold 1").press("Enter")
    expect(page.locator(".notice.info")).to_contain_text("Held: 1.")
    assert stage.look(action_id)["state"] == "held"
    page.goto(stage.url)
    row = page.locator(f'li[data-action="{action_id}"]')
    expect(row).to_contain_text("“the customer was flagged: two cards”")
    customers.unflag(stage.services, "c-odd")
    stage.cancel(action_id)
