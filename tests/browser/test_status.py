"""The customer's status page follows by itself, with scripts and without, and says it aloud."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.browser.axe import violations
from tests.browser.stage import Stage
from webapp.services import clock, compensate, link
from webapp.services.caller import Caller

CUSTOMER = {"ref": "c-1", "timezone": "Asia/Kolkata", "locale": "en-IN"}
SLOW = 25_000


@pytest.fixture
def open_status(browser: Browser, stage: Stage) -> Iterator[Callable[..., Page]]:
    """`open_status(action_id, **context options)`: a stranger's browser on the action's link.

    Each must end without a console error or an exception, and ask no other host.
    """
    pages: list[Page] = []
    complaints: list[str] = []

    def make(action_id: str, **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        page = context.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if _is_fault(said) else None,
        )
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(stage.url) else complaints.append(asked.url),
        )
        page.goto(stage.look(action_id)["status_url"])
        return page

    yield make
    for page in pages:
        page.context.close()
    assert complaints == []


def _is_fault(said: ConsoleMessage) -> bool:
    """That a link is over is an answer; that a style or a script is missing is not."""
    answered = "404" in said.text and "/s/" in said.location["url"]
    return said.type == "error" and not answered


@pytest.fixture
def refund(stage: Stage) -> Iterator[Callable[..., str]]:
    """Drafts a refund that is due in three minutes."""

    def make(**customer: str) -> str:
        stage.policy("refund", window_seconds=180)
        return stage.draft(customer={**CUSTOMER, **customer})

    yield make
    stage.policy("refund", window_seconds=600)


def run(stage: Stage, action_id: str) -> None:
    clock.run_now(stage.services, action_id, Caller.command())


def test_from_scheduled_to_done_without_a_reload(
    stage: Stage, refund: Callable[..., str], open_status: Callable[..., Page]
) -> None:
    action_id = refund()
    page = open_status(action_id)
    main = page.locator("main")
    expect(main).to_have_attribute("data-status", "scheduled")
    expect(main).to_contain_text(
        re.compile(r"Your refund of ₹4,250.00 is scheduled for .* IST \(India Standard Time\)")
    )
    announced = page.locator("[data-announce]")
    expect(announced).to_be_empty()
    page.evaluate("window.before = true")
    # text that a reader has marked stays marked while nothing changed
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.lead'))")
    with page.expect_response(lambda answer: "/s/" in answer.url, timeout=SLOW):
        pass
    assert "₹4,250.00" in page.evaluate("getSelection().toString()")

    run(stage, action_id)
    expect(main).to_have_attribute("data-status", "done", timeout=SLOW)
    expect(main).to_contain_text("Your refund of ₹4,250.00 is done. It was sent on")
    expect(announced).to_contain_text("Done")
    expect(page).to_have_title("Done")
    expect(page.locator(".script")).to_be_hidden()
    expect(main).not_to_have_attribute("data-again", re.compile(".*"))
    assert page.evaluate("window.before")


def test_without_scripts_it_loads_itself_again(
    stage: Stage, refund: Callable[..., str], open_status: Callable[..., Page]
) -> None:
    action_id = refund()
    page = open_status(action_id, java_script_enabled=False)
    expect(page.locator('main[data-status="scheduled"]')).to_be_visible()
    # Playwright's text search passes over noscript
    expect(page.locator("footer noscript p")).to_be_visible()
    expect(page.locator(".script")).to_be_hidden()
    run(stage, action_id)
    expect(page.locator('main[data-status="done"]')).to_be_visible(timeout=SLOW)


def test_without_scripts_it_can_be_told_to_stay(
    refund: Callable[..., str], open_status: Callable[..., Page]
) -> None:
    page = open_status(refund(), java_script_enabled=False)
    page.get_by_role("link", name="Stop that").click()
    expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0)
    page.get_by_role("link", name="Keep it up to date").click()
    expect(page.get_by_role("link", name="Stop that")).to_be_visible()


def test_a_lost_line_leaves_what_was_last_known(
    stage: Stage, refund: Callable[..., str], open_status: Callable[..., Page]
) -> None:
    action_id = refund()
    page = open_status(action_id)
    failed = []

    def fail(route: object) -> None:
        failed.append(route)
        route.fulfill(status=200, content_type="text/html", body="<p>sign in to the airport")  # type: ignore[attr-defined]

    page.route("**/s/*", fail)
    with page.expect_response(lambda answer: "/s/" in answer.url, timeout=SLOW):
        pass
    expect(page.locator("main")).to_contain_text("is scheduled for")
    assert failed
    page.unroute("**/s/*")
    run(stage, action_id)
    expect(page.locator("main")).to_have_attribute("data-status", "done", timeout=SLOW)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_button_stops_it_and_says_so_in_the_customers_language(
    stage: Stage, refund: Callable[..., str], open_status: Callable[..., Page], scripts: bool
) -> None:
    """By the keyboard too; staff let it go on, and the page offers the button again."""
    action_id = refund(locale="hi-IN")
    page = open_status(action_id, java_script_enabled=scripts)
    main = page.locator("main")
    expect(page.locator("html")).to_have_attribute("lang", "hi-IN")
    expect(main).to_contain_text("इसे अभी तक भेजा नहीं गया है।")
    button = page.get_by_role("button", name="यह सही नहीं है")
    expect(button).to_have_accessible_description(re.compile("गड़बड़ है"))
    button.press("Enter")
    expect(page.locator('main[data-status="held"]')).to_contain_text("आपने हमें बताया")
    expect(button).to_have_count(0)
    assert stage.look(action_id)["state"] == "held"
    if scripts:
        clock.release(stage.services, action_id, Caller.command())
        expect(page.locator('main[data-status="scheduled"]')).to_be_visible(timeout=SLOW)
        expect(button).to_be_visible()


def test_a_link_that_is_taken_back_shows_nothing_more(
    stage: Stage, refund: Callable[..., str], open_status: Callable[..., Page]
) -> None:
    action_id = refund()
    page = open_status(action_id)
    expect(page.locator("main")).to_contain_text("is scheduled for")
    with page.expect_response(lambda answer: answer.status == 404, timeout=SLOW):
        link.renew(stage.services, action_id, Caller.command(), 0)
    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1440, "light")])
def test_axe_finds_nothing_and_it_fits(
    stage: Stage, open_status: Callable[..., Page], width: int, scheme: str
) -> None:
    done = stage.draft("label")
    run(stage, done)
    stage.until(done, "executed")
    repair = compensate.compensate(stage.services, done, Caller.command(), name="void").action
    hindi = {**CUSTOMER, "locale": "hi-IN"}
    for action_id in (stage.draft(customer=hindi), done, repair.id):
        page = open_status(
            action_id,
            viewport={"width": width, "height": 700},
            color_scheme=scheme,
            bypass_csp=True,
        )
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("document.documentElement.dir = 'rtl'")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
