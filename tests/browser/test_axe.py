"""Every page of the product, in both themes, wide and narrow: axe finds nothing at all.

Nor does any page say anything on the console.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.axe import violations
from tests.shots.__main__ import listen
from tests.shots.pages import Shot, missing, shots
from tests.shots.scene import Scene, scene

LOOKS = [(1280, "dark"), (320, "light")]
"""Each theme and each width once: what a theme breaks, it breaks at any width."""
BETWEEN = (900, 768)
"""Windows in which nothing may stick out either: just above the narrow layout, and a tablet."""
HEIGHT = 900
_WIDTH = "document.documentElement.scrollWidth"
_NO_LABELS = "document.querySelectorAll('label').forEach((one) => one.replaceWith(...one.children))"
_FIRST_FRAMES_MS = 50
"""What scripts do once the page is there: times in the reader's zone, plots."""


@pytest.fixture(scope="module")
def made() -> Iterator[Scene]:
    """A desk with something of everything, on which nothing moves."""
    with scene() as found:
        yield found


def _context(browser: Browser, made: Scene, who: str | None, **options: Any) -> BrowserContext:
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", **options)
    if who is not None:
        cookie: Any = {"name": "ud_session", "value": made.cookies[who], "url": made.url}
        context.add_cookies([cookie])
    return context


def _look(page: Page, made: Scene, shot: Shot, width: int) -> Iterator[str]:
    said: list[str] = []
    listen(page, said)
    answer = page.goto(made.url + shot.path)
    assert answer is not None, shot.path
    page.wait_for_timeout(_FIRST_FRAMES_MS)
    if answer.ok:  # the browser itself tells of one that is refused
        yield from said
    yield from violations(page)
    for narrower in (width, *(one for one in BETWEEN if one < width)):
        page.set_viewport_size({"width": narrower, "height": HEIGHT})
        try:
            # plots follow their window in a frame of their own
            page.wait_for_function(f"{_WIDTH} <= {narrower}", timeout=2_000)
        except PlaywrightTimeout:
            yield f"{page.evaluate(_WIDTH)} px wide in a window of {narrower}"
    page.set_viewport_size({"width": width, "height": HEIGHT})


def _chosen(made: Scene, look: int) -> list[Shot]:
    """Every page in each look; of the many states of one page each look has every other one."""
    several = [one for one in shots(made) if one.name.partition(" ")[0] in ("action", "status")]
    others = several[look :: len(LOOKS)]
    return [one for one in shots(made) if one not in several or one in others]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_on_any_page(
    made: Scene, browser: Browser, width: int, scheme: str
) -> None:
    assert missing(made) == [], "a page that is not among those looked at"
    found: list[str] = []
    chosen = _chosen(made, LOOKS.index((width, scheme)))
    for who in ("admin", "staff", None):
        context = _context(
            browser, made, who, viewport={"width": width, "height": HEIGHT}, color_scheme=scheme
        )
        page = context.new_page()
        for shot in (one for one in chosen if one.who == who):
            found += [f"{shot.name}: {words}" for words in _look(page, made, shot, width)]
        context.close()
    assert found == []


def test_axe_finds_nothing_on_a_customers_page_in_hindi(browser: Browser) -> None:
    with scene(locale="hi-IN") as made:
        context = _context(
            browser,
            made,
            None,
            locale="hi-IN",
            viewport={"width": 320, "height": HEIGHT},
            color_scheme="dark",
        )
        page = context.new_page()
        found: list[str] = []
        for how, path in made.links.items():
            found += [f"{how}: {words}" for words in _look(page, made, Shot(how, path, None), 320)]
            assert page.locator("html").get_attribute("lang") == "hi-IN", how
        context.close()
    assert found == []


def test_axe_finds_nothing_where_there_is_nothing(browser: Browser) -> None:
    with scene(empty=True) as bare:
        context = _context(
            browser, bare, "admin", viewport={"width": 320, "height": HEIGHT}, color_scheme="dark"
        )
        page = context.new_page()
        found: list[str] = []
        for path in ("/", "/approvals", "/history", "/reports", "/settings/"):
            found += [f"{path}: {words}" for words in _look(page, bare, Shot(path, path), 320)]
        context.close()
    assert found == []


def test_axe_sees_a_label_that_is_gone(made: Scene, browser: Browser) -> None:
    """Self-check."""
    context = _context(browser, made, None)
    page = context.new_page()
    page.goto(f"{made.url}/login")
    assert violations(page) == []
    page.evaluate(_NO_LABELS)
    assert any(words.startswith("label ") for words in violations(page))
    context.close()
