"""The settings in an admin's browser."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import violations
from tests.browser.stage import PASSWORD, Screen, Stage
from webapp.services import agents, customers

PAGES = (
    *("", "people", "agents", "stock", "customers", "pauses", "sandbox"),
    *("refund", "refund/ladder", "label", "webhook.undo"),
)


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


@pytest.mark.parametrize("scripts", [True, False])
def test_an_admin_tries_a_policy_on_history(
    stage: Stage, open_screen: Callable[..., Screen], scripts: bool
) -> None:
    stage.draft("reply")
    page = open_screen("ida", java_script_enabled=scripts).page
    page.goto(f"{stage.url}/settings/reply")
    page.get_by_role("radio", name=re.compile("^Immediate")).check()
    page.get_by_role("button", name="Try on history").click()
    found = page.get_by_role("region", name="On history, not saved")
    expect(found.get_by_role("status")).to_contain_text("of this kind, drafted since")
    expect(found.locator("progress:visible")).to_have_count(0)
    assert stage.services.policy("reply").mode == "window"


def test_an_admin_runs_the_self_test_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    page = open_screen("ida").page
    page.set_default_timeout(60_000)
    page.goto(f"{stage.url}/settings/refund/ladder")
    page.get_by_role("button", name=re.compile("^Run it")).press("Enter")
    expect(page.locator("#self-test [role=status]")).to_contain_text("0 faults", timeout=60_000)


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


def test_the_preview_follows_the_form(open_screen: Callable[..., Screen], exchange: str) -> None:
    """Issue 4, 7: live, in the desk's own words; a wrong value is named meanwhile."""
    page = open_screen("ida").page
    page.goto(exchange)
    shown = page.locator("[data-preview]")
    expect(shown).to_contain_text("An exchange waits for approval.")
    page.get_by_role("radio", name=re.compile("^Window")).check()
    page.get_by_label("Window", exact=True).fill("120")
    expect(shown).to_contain_text("An exchange runs after 2 min, unless somebody cancels.")
    expect(shown).to_contain_text("It is easy to take back")
    expect(shown).to_contain_text("not saved yet")
    page.get_by_label("Window", exact=True).fill("soon")
    expect(shown).to_contain_text("Window: Input should be a valid integer")
    page.get_by_label("Window", exact=True).fill("60")
    expect(shown).to_contain_text("runs after 1 min")
    expect(page.get_by_label("Window", exact=True)).to_be_focused()


def test_without_javascript_a_button_previews(
    stage: Stage, open_screen: Callable[..., Screen], exchange: str
) -> None:
    """What was entered stands there still, unsaved."""
    page = open_screen("ida", java_script_enabled=False).page
    page.goto(exchange)
    page.get_by_role("radio", name=re.compile("^Immediate")).check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-preview]")).to_contain_text("An exchange runs at once")
    expect(page.get_by_role("radio", name=re.compile("^Immediate"))).to_be_checked()
    assert stage.services.policy("exchange").mode == "approval"
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_a_version_is_restored_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen], exchange: str
) -> None:
    """Enter on the button that names it."""
    stage.policy("exchange", mode="window", window_seconds=45)
    stage.policy("exchange", mode="off")
    page = open_screen("ida").page
    page.goto(exchange)
    page.get_by_role("button", name=re.compile(r"Restore version \d+")).first.press("Enter")
    expect(page.get_by_text("Restored. An exchange runs 45 s after drafting")).to_be_visible()
    assert stage.services.policy("exchange").window_seconds == 45


def test_a_person_is_added_and_let_go_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen], browser: Browser
) -> None:
    """From the form to the password, and out again: their open feed too."""
    page = open_screen("ida").page
    page.goto(f"{stage.url}/settings/people")
    page.get_by_label("E-mail").focus()
    page.keyboard.type("dev@example.com")
    page.keyboard.press("Tab")
    page.keyboard.type("Dev")
    page.keyboard.press("Enter")
    link = page.locator(".secret").inner_text()
    assert link.startswith(f"{stage.url}/welcome/")

    theirs = browser.new_context()
    other = theirs.new_page()
    other.goto(link)
    expect(other.get_by_label("New password")).to_be_focused()
    other.keyboard.type(PASSWORD)
    other.keyboard.press("Tab")
    other.keyboard.type(PASSWORD)
    other.keyboard.press("Enter")
    other.locator('[data-line="live"]').wait_for()

    page.goto(f"{stage.url}/settings/people")
    page.locator("summary", has_text="Deactivate… Dev").press("Enter")
    page.get_by_role("button", name="Deactivate Dev", exact=True).press("Enter")
    expect(page.get_by_text("Dev may not sign in any more")).to_be_visible()
    expect(other.locator('[data-line="live"]')).to_have_count(0)
    theirs.close()


def test_an_agent_is_added_made_anew_and_revoked_by_keyboard(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    """Each token is shown once, and is over when it should be."""
    page = open_screen("ida").page
    page.goto(f"{stage.url}/settings/agents")
    page.get_by_label("Name").focus()
    page.keyboard.type("keyboard-agent")
    page.keyboard.press("Enter")
    first = page.locator(".secret").inner_text()
    page.locator("summary", has_text="New token… for keyboard-agent").press("Enter")
    page.get_by_role("button", name="Make a new token for keyboard-agent").press("Enter")
    expect(page.locator(".secret")).not_to_have_text(first)
    second = page.locator(".secret").inner_text()
    known = [agents.by_token(stage.services, one) for one in (first, second)]
    assert [one and one.name for one in known] == [None, "keyboard-agent"]
    page.locator("summary", has_text="Revoke… keyboard-agent").press("Enter")
    page.get_by_role("button", name="Revoke keyboard-agent", exact=True).press("Enter")
    expect(page.get_by_text("keyboard-agent is revoked")).to_be_visible()
    assert agents.by_token(stage.services, second) is None


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_axe_finds_nothing(
    stage: Stage, open_screen: Callable[..., Screen], width: int, scheme: str
) -> None:
    screen = open_screen(
        "ida", viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    for name in PAGES:
        screen.page.goto(f"{stage.url}/settings/{name}")
        for more in screen.page.locator("details:is(.more, .sure)").all():
            more.locator("summary").click()
        assert violations(screen.page) == [], name
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width, name
