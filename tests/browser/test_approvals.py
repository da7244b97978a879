"""The approvals' page in real browsers: by keyboard alone, live, several at once, for every eye."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.stage import Screen, Stage
from webapp.services import approvals, decide
from webapp.services.caller import Caller

Queue = Callable[..., list[str]]


@pytest.fixture
def queue(stage: Stage) -> Iterator[Queue]:
    """`queue(3)`: so many new labels that wait; nothing waits afterwards."""

    def draft(number: int, kind: str = "label") -> list[str]:
        stage.policy(kind, mode="approval", approved_window_seconds=600)
        made = [stage.draft(kind) for _ in range(number)]
        stage.policy(kind, mode="window")
        return made

    _empty(stage)
    yield draft
    _empty(stage)


def _empty(stage: Stage) -> None:
    for one in approvals.queue(stage.services).rows:
        decide.reject(stage.services, one.id, Caller.command(), reason="a test is over")


@pytest.fixture
def approving(stage: Stage, open_screen: Callable[..., Screen]) -> Callable[..., Screen]:
    """`approving(who, **options)`: somebody's browser on the page."""

    def open_page(who: str = "ana", **options: object) -> Screen:
        screen = open_screen(who, **options)
        screen.page.goto(f"{stage.url}/approvals")
        if options.get("java_script_enabled", True):
            screen.live()
        return screen

    return open_page


def test_the_keyboard_is_enough(
    stage: Stage, queue: Queue, approving: Callable[..., Screen]
) -> None:
    """J and K move, A approves, R asks why and Ctrl+Enter rejects."""
    first, second, third = queue(3)
    screen = approving()
    press = screen.page.keyboard.press
    press("j")
    expect(screen.row(first).get_by_role("checkbox")).to_be_focused()
    press("j")
    press("j")
    press("k")
    expect(screen.row(second).get_by_role("checkbox")).to_be_focused()
    outline = screen.row(second).get_by_role("checkbox")
    assert outline.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    press("r")
    note = screen.row(second).get_by_label("Why it is rejected")
    expect(note).to_be_focused()
    screen.page.keyboard.type("just a jar")  # letters that are keys elsewhere
    press("Control+Enter")
    expect(screen.row(second)).to_have_attribute("data-state", "rejected")
    expect(screen.row(second)).to_contain_text("Rejected by Ana: “just a jar”")
    expect(screen.row(third).get_by_role("checkbox")).to_be_focused()  # the next one
    screen.page.wait_for_timeout(300)  # a press that comes sooner was meant for the row before
    press("k")
    press("k")
    press("a")
    expect(screen.row(first)).to_have_attribute("data-state", "scheduled")
    assert stage.look(third)["state"] == "awaiting_approval"
    expect(screen.page).to_have_title("(1) Approvals · Undo Desk")
    expect(screen.page.locator("nav [data-waiting]")).to_have_text("1")


def test_after_an_approval_the_row_counts_down_and_can_be_cancelled(
    stage: Stage, queue: Queue, approving: Callable[..., Screen]
) -> None:
    """Issue 4, 4: after approval a short window still allows undo."""
    [one] = queue(1)
    screen = approving()
    screen.button(one, "approve").click()
    expect(screen.row(one).locator("time[data-deadline]").first).to_have_text(re.compile(r"^9:5"))
    expect(screen.row(one).get_by_role("checkbox")).to_have_count(0)
    screen.button(one, "cancel").click()
    expect(screen.row(one)).to_have_attribute("data-state", "cancelled")
    assert stage.look(one)["state"] == "cancelled"


def test_several_by_keyboard_and_what_was_refused_stays_selected(
    stage: Stage, queue: Queue, approving: Callable[..., Screen]
) -> None:
    """X selects; A and R are for the selection then; each row says what became of it."""
    first, second, third = queue(3)
    screen = approving()
    press = screen.page.keyboard.press
    for _ in range(3):
        press("j")
        press("x")
    expect(screen.page.locator("[data-picked]")).to_have_text("3 selected")
    # the page is behind by one version: what was shown is not what is there
    value = screen.row(second).get_by_role("checkbox")
    value.evaluate("(one) => { one.value = one.value.replace(/:1$/, ':7'); }")
    press("r")
    reason = screen.page.get_by_label("Why the selected are rejected")
    expect(reason).to_be_focused()
    press("Enter")
    expect(screen.page.locator("[data-said]")).to_have_text(re.compile("Say why"))
    expect(reason).to_have_attribute("aria-invalid", "true")
    screen.page.keyboard.type("no such order")
    press("Enter")
    for one in (first, third):
        expect(screen.row(one)).to_have_attribute("data-state", "rejected")
    expect(screen.row(second)).to_contain_text("It changed since you saw it")
    expect(value).to_be_checked()
    expect(screen.page.locator("[data-picked]")).to_have_text("1 selected")
    expect(screen.page.locator("[data-announce]")).to_have_text(re.compile("2 rejected, 1 not"))
    assert stage.look(second)["state"] == "awaiting_approval"


def test_the_keys_can_be_switched_off(queue: Queue, approving: Callable[..., Screen]) -> None:
    """WCAG 2.1.4."""
    [one] = queue(1)
    screen = approving()
    screen.page.goto(f"{screen.stage.url}/preferences")
    screen.page.get_by_role("checkbox", name="Single letters").uncheck()
    screen.page.get_by_role("button", name="Save").click()
    screen.page.goto(f"{screen.stage.url}/approvals")
    screen.live()
    screen.row(one).get_by_role("checkbox").focus()
    screen.page.keyboard.press("x")
    screen.page.keyboard.press("a")
    expect(screen.row(one).get_by_role("checkbox")).not_to_be_checked()
    expect(screen.row(one)).to_have_attribute("data-state", "awaiting_approval")
    screen.page.goto(f"{screen.stage.url}/preferences")
    screen.page.get_by_role("checkbox", name="Single letters").check()
    screen.page.get_by_role("button", name="Save").click()
    expect(screen.page.get_by_text("Saved.")).to_be_visible()


def test_the_queue_is_live_and_keeps_what_is_selected(
    stage: Stage, queue: Queue, approving: Callable[..., Screen]
) -> None:
    """A new one comes last; what a colleague decides on says so; the selection stays."""
    first, second = queue(2)
    ana, bo = approving("ana"), approving("bo")
    ana.row(second).get_by_role("checkbox").check()
    [third] = queue(1)
    expect(ana.row(third)).to_be_visible()
    order = ana.page.locator("li[data-action]").evaluate_all(
        "all => all.map(o => o.dataset.action)"
    )
    assert order == [first, second, third]
    expect(ana.row(second).get_by_role("checkbox")).to_be_checked()
    bo.button(first, "approve").click()
    expect(ana.row(first)).to_have_attribute("data-state", "scheduled")
    expect(ana.page).to_have_title("(2) Approvals · Undo Desk")
    expect(ana.row(second).get_by_role("checkbox")).to_be_checked()


def test_without_scripts(stage: Stage, queue: Queue, approving: Callable[..., Screen]) -> None:
    """Form posts: one row, then several; Enter in the reason never approves."""
    first, second, third = queue(3)
    screen = approving(java_script_enabled=False)
    screen.button(first, "approve").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("Approved. It runs in")
    for one in (second, third):
        screen.row(one).get_by_role("checkbox").check()
    reason = screen.page.get_by_label("Why the selected are rejected")
    reason.press("Enter")
    expect(screen.page.get_by_text("Say why they are rejected")).to_be_visible()
    expect(screen.row(third).get_by_role("checkbox")).to_be_checked()
    reason.fill("no such order")
    reason.press("Enter")
    expect(screen.page.get_by_text("Nothing waits for approval")).to_be_visible()
    assert [stage.look(one)["state"] for one in (first, second, third)] == [
        "scheduled",
        "rejected",
        "rejected",
    ]
    screen.complaints.clear()  # the browser logs the 400


def test_a_view_here_is_a_view(
    stage: Stage, queue: Queue, approving: Callable[..., Screen]
) -> None:
    """First views are those of any page that shows the row."""
    [one] = queue(1)
    approving()
    stage.wait(lambda: stage.look(one)["first_viewed_at"])


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_axe_finds_nothing(
    queue: Queue, approving: Callable[..., Screen], width: int, scheme: str
) -> None:
    first, second, *_ = [*queue(2), *queue(1, "refund"), *queue(1, "reply")]
    screen = approving(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    screen.button(first, "approve").click()
    expect(screen.row(first)).to_have_attribute("data-state", "scheduled")
    screen.row(second).get_by_role("checkbox").check()
    screen.button(second, "reject").click()
    screen.page.get_by_role("button", name="Reject selected").click()
    for waiting in (True, False):
        assert violations(screen.page) == []
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width
        if waiting:
            _empty(screen.stage)
            screen.page.reload()
            expect(screen.page.get_by_text("Nothing waits for approval")).to_be_visible()
