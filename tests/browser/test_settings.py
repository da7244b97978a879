"""The settings in an admin's browser."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage
from webapp.services import customers

PAGES = ("", "people", "agents", "stock", "customers", "sandbox", "refund", "webhook.undo")


@pytest.fixture
def exchange(stage: Stage) -> Iterator[str]:
    """The path of a kind that no other test drafts, put back after the test."""
    yield f"{stage.url}/settings/exchange"
    stage.policy("exchange", mode="approval", window_seconds=300)


@pytest.mark.parametrize("scripts", [True, False])
def test_an_admin_changes_a_policy(
    stage: Stage, open_screen: Callable[..., Screen], exchange: str, scripts: bool
) -> None:
    page = open_screen("ida", java_script_enabled=scripts).page
    page.goto(exchange)
    page.get_by_role("radio", name=re.compile("^Window")).check()
    page.get_by_label("Window", exact=True).fill("120")
    page.get_by_role("button", name="Save").click()
    words = "Saved. An exchange runs 2 min after drafting, unless somebody cancels."
    expect(page.locator(".notice.good")).to_contain_text(words)
    assert stage.services.policy("exchange").window_seconds == 120


def test_a_mode_shows_what_belongs_to_it(open_screen: Callable[..., Screen], exchange: str) -> None:
    page = open_screen("ida").page
    page.goto(exchange)
    warning = page.get_by_text("Immediate leaves nobody any time")
    hold = page.get_by_label("Also hold what is scheduled")
    expect(warning).to_be_hidden()
    expect(hold).to_be_hidden()
    page.get_by_role("radio", name=re.compile("^Immediate")).check()
    expect(warning).to_be_visible()
    page.get_by_role("radio", name=re.compile("^Off")).check()
    expect(hold).to_be_visible()
    expect(warning).to_be_hidden()


def test_a_wrong_value_stands_at_its_field(
    open_screen: Callable[..., Screen], exchange: str
) -> None:
    screen = open_screen("ida")
    page = screen.page
    page.goto(exchange)
    page.get_by_label("Margin").fill("600")
    page.get_by_role("button", name="Save").click()
    field = page.get_by_label("Margin")
    expect(field).to_have_value("600")
    expect(field).to_have_accessible_description(re.compile("less than or equal to 60"))
    expect(page.get_by_role("alert")).to_contain_text("Nothing is saved.")
    screen.complaints.clear()  # the browser logs the 400


def test_a_customer_is_flagged_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    page = open_screen("ida").page
    page.goto(f"{stage.url}/settings/customers")
    page.get_by_label("Customer").focus()
    page.keyboard.type("c-browser")
    page.keyboard.press("Tab")
    page.keyboard.type("looks wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Flagged c-browser.")).to_be_visible()
    page.get_by_role("button", name="Unflag c-browser").press("Enter")
    expect(page.get_by_text("c-browser is not flagged any more.")).to_be_visible()
    assert customers.flags(stage.services) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_serious(
    stage: Stage, open_screen: Callable[..., Screen], axe: str, width: int, scheme: str
) -> None:
    screen = open_screen(
        "ida", viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    for name in PAGES:
        screen.page.goto(f"{stage.url}/settings/{name}")
        for more in screen.page.locator("details.more").all():
            more.locator("summary").click()
        screen.page.evaluate(axe)
        serious = [
            (one["id"], [node["html"] for node in one["nodes"]][:3])
            for one in screen.page.evaluate("axe.run()")["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], name
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width, name
