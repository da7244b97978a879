"""The feed at its size, by keyboard: 3,000 rows, a selection, what came meanwhile, a lost line."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.bench.plant import plant, refund
from tests.bench.scale import changing
from tests.browser.axe import violations
from tests.browser.stage import Held, Screen, Stage
from tests.fixtures.desk import make_desk
from webapp.domain.times import SECOND
from webapp.services.screen import rows

ROWS = 3_000


def focused(screen: Screen) -> str:
    """The id of the row that has the focus."""
    return str(screen.page.evaluate("document.activeElement.closest('li')?.dataset.action ?? ''"))


def at(screen: Screen, query: str) -> None:
    """The feed, narrowed."""
    screen.page.goto(f"{screen.stage.url}/?{query}")
    screen.live()


def test_by_keyboard_alone(stage: Stage, screen: Screen) -> None:
    """Each action ends at the next row; keys mean nothing while one writes, or once off."""
    one, two, three, four = (stage.draft(order="K-1") for _ in range(4))
    at(screen, "order=K-1")
    press = screen.page.keyboard.press
    press("j")
    assert focused(screen) == one
    press("c")
    expect(screen.row(one)).to_have_attribute("data-state", "cancelled")
    expect(screen.row(two).get_by_role("link").first).to_be_focused()
    screen.page.wait_for_timeout(300)  # a press that comes sooner was meant for the row before
    press("h")
    expect(screen.row(two)).to_have_attribute("data-state", "held")
    expect(screen.row(three).get_by_role("link").first).to_be_focused()
    for version in range(2, 5):
        press("+")
        expect(screen.row(three)).to_have_attribute("data-version", str(version))
    assert focused(screen) == three
    press("x")
    press("Shift+J")
    expect(screen.page.locator(".pick:checked")).to_have_count(2)
    expect(screen.page.locator("[data-bulk]")).to_contain_text("2 selected")
    press("k")
    press("Shift+J")
    press("Shift+K")
    expect(screen.page.locator("[data-bulk] [data-picked]")).to_have_text("1 selected")
    press("Escape")
    expect(screen.page.locator("[data-bulk]")).to_be_hidden()
    press("/")
    expect(screen.page.get_by_role("searchbox")).to_be_focused()
    press("c")  # a letter there
    assert stage.look(four)["state"] == "scheduled"
    screen.page.get_by_role("searchbox").fill("")
    press("Escape")
    press("?")
    expect(screen.page.get_by_role("dialog")).to_contain_text("take back what was executed")
    press("Escape")
    screen.page.evaluate("document.documentElement.dataset.keys = 'off'")
    screen.row(four).get_by_role("link").first.focus()
    press("c")
    press("x")
    screen.page.evaluate("document.documentElement.dataset.keys = 'on'")
    expect(screen.row(four).get_by_role("checkbox")).not_to_be_checked()
    assert stage.look(four)["state"] == "scheduled"
    press("Enter")
    screen.page.wait_for_url(f"**/actions/{four}")
    press("g")
    press("p")
    screen.page.wait_for_url("**/approvals")


def test_a_key_that_the_row_has_no_button_for_says_so(stage: Stage, screen: Screen) -> None:
    """Silence after C would pass for a cancel. What was said goes once the row is another."""
    one = stage.draft(order="K-none")
    at(screen, "order=K-none")
    said = screen.page.locator("[data-announce]")
    press = screen.page.keyboard.press
    press("j")
    press("a")
    expect(said).to_have_text("This can't be approved now: scheduled.")
    expect(screen.row(one).locator(".answer")).to_be_visible()
    stage.cancel(one)
    expect(screen.row(one)).to_have_attribute("data-state", "cancelled")
    expect(screen.row(one).locator(".answer")).to_have_count(0)
    press("c")
    expect(said).to_have_text("This can't be cancelled now: Cancelled.")
    press("x")
    press("h")
    expect(screen.page.locator("[data-bulk]")).to_contain_text("None of the selected can be held")


def test_several_at_once_leave_exactly_what_was_lost(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    """Two of five have run meanwhile, and the page does not know: they stay, and can be undone."""
    line = Held()
    screen = open_screen(prepare=line.prepare)
    made = [stage.draft("label", order="K-2") for _ in range(5)]
    lost = made[1], made[3]
    at(screen, "order=K-2")
    line.holding = True
    other = open_screen("bo")
    at(other, "order=K-2")
    for one in lost:
        other.button(one, "run-now").click()
        stage.until(one, "executed")
    press = screen.page.keyboard.press
    press("j")
    press("x")
    for _ in range(4):
        press("Shift+J")
    bar = screen.page.locator("[data-bulk]")
    expect(bar.locator("[data-picked]")).to_have_text("5 selected")
    expect(bar.locator("[data-nearest]")).to_have_text(re.compile(r"^first due in 9:\d\d$"))
    press("c")
    expect(bar).to_contain_text("3 cancelled, 2 too late")
    expect(bar.locator("[data-picked]")).to_have_text("2 selected")
    for one in made:
        state = "executed" if one in lost else "cancelled"
        expect(screen.row(one)).to_have_attribute("data-state", state)
        pick = screen.row(one).get_by_role("checkbox")
        expect(pick).to_be_checked(checked=one in lost)
    for one in lost:
        expect(screen.row(one)).to_have_attribute("data-outcome", "too_late")
    assert focused(screen) in lost
    line.let_go()
    screen.page.wait_for_timeout(300)
    press("e")
    for one in lost:
        expect(screen.row(one)).to_contain_text("Label void: scheduled")
    expect(bar.locator("[data-picked]")).to_have_text("")


def test_what_would_move_a_row_waits_in_the_pill(stage: Stage, screen: Screen) -> None:
    later = stage.draft(order="K-3", not_before=stage.later(3_000))
    at(screen, "order=K-3")
    screen.page.keyboard.press("j")
    before = screen.row(later).bounding_box()
    sooner = stage.draft(order="K-3")
    pill = screen.page.locator("[data-pill]")
    expect(pill).to_contain_text(re.compile(r"1 new, the first due in (10:00|9:\d\d)"))
    expect(screen.row(sooner)).to_be_hidden()
    assert screen.row(later).bounding_box() == before
    stage.cancel(sooner)
    expect(screen.row(sooner)).to_be_visible()  # among what is over: that moves nobody's row
    expect(pill).to_be_hidden()
    another = stage.draft(order="K-3")
    expect(pill).to_be_visible()
    screen.page.keyboard.press("n")
    expect(pill).to_be_hidden()
    expect(screen.row(another).get_by_role("link").first).to_be_focused()
    order = screen.page.locator("[data-feed] li").evaluate_all(
        "(all) => all.map(o => o.dataset.action)"
    )
    assert order == [another, later, sooner]


def test_the_filter_stands_in_the_address_and_the_desk_says_what_belongs(
    stage: Stage, screen: Screen
) -> None:
    label, reply = stage.draft("label", order="K-4"), stage.draft("reply", order="K-4")
    at(screen, "order=K-4")
    screen.page.evaluate("window.before = true")
    screen.page.get_by_role("checkbox", name="Return label", exact=True).check()
    expect(screen.row(reply)).to_have_count(0)
    expect(screen.row(label)).to_be_visible()
    screen.page.wait_for_url(re.compile("kind=label"))
    mine, other = stage.draft("label", order="K-4"), stage.draft("reply", order="K-4")
    expect(screen.row(mine)).to_be_visible()
    screen.page.go_back()
    expect(screen.row(other)).to_be_visible()
    expect(screen.row(reply)).to_be_visible()
    screen.page.get_by_role("searchbox").fill("no such word anywhere")
    expect(screen.page.get_by_text("Nothing on the feed matches")).to_be_visible()
    screen.page.get_by_role("link", name="Show all", exact=True).click()
    expect(screen.row(label)).to_be_attached()
    expect(screen.page.get_by_role("searchbox")).to_have_value("")
    assert screen.page.evaluate("window.before")


def test_a_lost_line_says_how_old_the_page_is_and_cancel_goes_on(
    stage: Stage, open_screen: Callable[..., Screen]
) -> None:
    dead: list[WebSocketRoute] = []

    def prepare(page: Page) -> None:
        page.route_web_socket(re.compile("/feed/socket"), route)

    def route(socket: WebSocketRoute) -> None:
        if dead:
            socket.close()
        else:
            socket.connect_to_server()
            lines.append(socket)

    lines: list[WebSocketRoute] = []
    screen = open_screen(prepare=prepare)
    action_id = stage.draft(order="K-5")
    at(screen, "order=K-5")
    dead.extend(lines)
    lines[-1].close()
    banner = screen.page.locator("[data-stale]")
    expect(banner).to_contain_text(re.compile(r"Not connected since [\d:]{8} UTC.* is 0:0\d old"))
    screen.button(action_id, "cancel").click()
    expect(screen.row(action_id)).to_have_attribute("data-state", "cancelled")
    screen.page.get_by_role("searchbox").fill("no such word anywhere")
    expect(screen.page.get_by_role("heading", name="Not connected")).to_be_visible()
    expect(screen.page.get_by_text("Nothing on the feed matches")).to_be_hidden()
    dead.clear()
    screen.live()
    expect(banner).to_be_hidden()
    expect(screen.page.get_by_text("Nothing on the feed matches")).to_be_visible()


def test_trouble_that_nobody_saw_is_counted_in_every_tab(stage: Stage, screen: Screen) -> None:
    """In the title and on the icon, until the row has been on screen."""
    made = [stage.draft(order="K-6", summary=f"number {n}") for n in range(8)]
    screen.page.set_viewport_size({"width": 1200, "height": 400})
    at(screen, "order=K-6")
    tab = screen.page.context.new_page()
    tab.goto(f"{stage.url}/?order=K-6")
    tab.locator('[data-line="live"]').wait_for()
    before = trouble(screen.page.title())
    last = tab.locator(f'li[data-action="{made[-1]}"]')
    last.locator("[data-do=hold]").click()
    expect(screen.page).to_have_title(f"({before + 1}) Feed · Undo Desk")
    icon = screen.page.locator('link[rel="icon"]')
    expect(icon).to_have_attribute("href", re.compile("^data:image/png"))
    screen.row(made[-1]).scroll_into_view_if_needed()
    expect(screen.page).not_to_have_title(f"({before + 1}) Feed · Undo Desk")
    assert trouble(screen.page.title()) == before


def trouble(title: str) -> int:
    """What a title counts."""
    found = re.match(r"\((\d+)\)", title)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_axe_finds_nothing_in_what_opens(
    stage: Stage, open_screen: Callable[..., Screen], width: int, scheme: str
) -> None:
    """The bar of the selection, what is narrowed further, the pill, the keys."""
    order = f"K-{width}"
    stage.draft(order=order, not_before=stage.later(3_000))
    screen = open_screen(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    at(screen, f"order={order}")
    screen.page.keyboard.press("j")
    screen.page.keyboard.press("x")
    stage.draft(order=order)
    expect(screen.page.locator("[data-pill]")).to_be_visible()
    screen.page.locator(".further > summary").click()
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")
    screen.page.evaluate("document.querySelector('[data-help]').showModal()")
    assert violations(screen.page) == []
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= width
    at(screen, f"order={order}&min=5")
    expect(screen.page.get_by_role("alert")).to_contain_text("choose the currency")
    assert violations(screen.page) == []
    screen.complaints.clear()  # the browser logs the 400


@pytest.fixture(scope="module")
def busy(
    new_database: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Stage, list[str]]]:
    """A desk with 3,000 rows that nobody else looks at."""
    found = Stage.open(make_desk(tmp_path_factory.mktemp("scale") / "desk", new_database("sqlite")))
    soon = found.services.now() + 600 * SECOND
    due = [soon + number * SECOND for number in range(ROWS)]
    yield found, plant(found.services, due, refund, "refund")
    found.close()


def test_three_thousand_rows_that_change_keep_the_focus(
    busy: tuple[Stage, list[str]], open_screen: Callable[..., Screen]
) -> None:
    """All are loaded, none twice; the bench has the figures (`python -m tests.bench page`)."""
    stage, ids = busy
    screen = open_screen(on=stage)
    page = screen.page
    page.wait_for_function(
        f"() => document.querySelectorAll('li[data-action]').length === {ROWS}", timeout=120_000
    )
    page.keyboard.press("j")
    with changing(stage.services, ids[1:]) as changer:
        for _ in range(4):
            page.keyboard.press("j")
            page.wait_for_timeout(500)
            assert focused(screen)
            page.keyboard.press("k")
            assert focused(screen) == ids[0]
    assert len(changer.changed) > 20
    last = changer.changed[-3:]
    there, _ = rows(stage.services, last)
    for one in last:
        version = str(there[one].version)
        expect(screen.row(one)).to_have_attribute("data-version", version)
    assert page.locator("li[data-action]").count() == ROWS


def test_rows_that_do_not_come_are_not_passed_over_in_silence(
    busy: tuple[Stage, list[str]], open_screen: Callable[..., Screen]
) -> None:
    def refused(page: Page) -> None:
        page.route("**/feed/rows?*", lambda route: route.fulfill(status=503))

    screen = open_screen(on=busy[0], prepare=refused)
    with screen.page.expect_response("**/feed/rows?*"):
        screen.page.reload()
    expect(screen.page.locator(".found")).to_contain_text("200 of them here so far")
    screen.page.unroute("**/feed/rows?*")
    # asked for again by itself
    expect(screen.page.locator("li[data-action]")).not_to_have_count(200, timeout=60_000)
    screen.complaints.clear()  # the browser logs every 503
