"""The reports in a browser: drawn from their tables, and whole without a script."""

from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.stage import Screen, Stage
from webapp.domain.buckets import bucket
from webapp.domain.times import SECOND, from_rfc3339
from webapp.store import report_cells

PATH = "/reports?from=2021-05-01&to=2021-05-30"
"""Before anything that another test does."""
_PAINTED = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some(byte => byte !== 0);
}"""

_GAPS = """canvas => {
  const pen = canvas.getContext("2d");
  const items = window.Chart.getChart(canvas).scales.x.getLabelItems();
  const ends = items.map(({ label, font, options }) => {
    pen.font = font.string;
    const lines = [label].flat();
    const wide = Math.max(...lines.map(line => pen.measureText(line).width));
    const half = (options.rotation ? font.lineHeight * lines.length : wide) / 2;
    return [options.translation[0] - half, options.translation[0] + half];
  });
  return ends.slice(1).map(([begin], place) => begin - ends[place][1]);
}"""
"""Pixels between the names below a plot."""


@pytest.fixture(scope="module")
def counted(stage: Stage) -> str:
    """The page of a month in which something of everything was counted."""
    told = Counter(drafted=90, scheduled=80, executed=70, executed_unseen=9, cancelled=5)
    told += Counter({"too_late": 2, "asked": 9, "rejected": 3, "approved": 4, "compensated": 1})
    told += Counter({"money_stopped.INR": 125_000, "money_back.INR": 9_900})
    for name, seconds in (("view", 20), ("no_view", 301), ("left", 12), ("late_by", 3)):
        told[f"{name}.{bucket(seconds * SECOND)}"] = 60
    for name in ("wait_approved", "wait_rejected", "late", "took"):
        told[f"{name}.{bucket(90 * SECOND)}"] = 25
    halves = {
        report_cells.half_hour(
            from_rfc3339(f"2021-05-{day:02d}T{day % 24:02d}:00:00Z"), kind, "bot"
        ): told
        for day in range(1, 31)
        for kind in ("refund", "label", "refund.reversal")
    }
    cells = report_cells.spread(halves)
    stage.services.db.transact(lambda tx: report_cells.add(tx, cells))
    return stage.url + PATH


def test_each_figure_is_drawn_from_its_table(
    counted: str, open_screen: Callable[..., Screen]
) -> None:
    """In light and dark, on a phone and on paper; nothing in it breaks the page's policy."""
    page = open_screen(viewport={"width": 1440, "height": 900}, timezone_id="Europe/Vienna").page
    page.goto(counted)
    figures = page.locator("figure[data-chart]")
    expect(figures).to_have_count(10)
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        for place in range(10):
            canvas = figures.nth(place).get_by_role("img")
            expect(canvas).to_be_visible()
            assert canvas.evaluate(_PAINTED)
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Show")).to_be_hidden()
    expect(figures.first.locator("canvas")).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="by the clock in Europe/Vienna").click()
    expect(page.get_by_text("Days begin at midnight in Europe/Vienna.").first).to_be_visible()


@pytest.mark.parametrize("width", [1440, 768, 390, 320])
def test_no_name_below_a_plot_touches_the_next(
    counted: str, open_screen: Callable[..., Screen], width: int
) -> None:
    page = open_screen(viewport={"width": width, "height": 900}).page
    page.goto(counted)
    figures = page.locator("figure[data-chart]")
    expect(figures.locator("canvas")).to_have_count(10)
    for name, least in (("lines", 6), ("bars", 1)):
        for canvas in page.locator(f'figure[data-chart="{name}"] canvas').all():
            gaps = canvas.evaluate(_GAPS)
            assert min(gaps) >= least, (canvas.get_attribute("aria-label"), gaps)


def test_who_is_in_the_pages_zone_is_offered_no_other(
    counted: str, open_screen: Callable[..., Screen]
) -> None:
    """Chromium says Asia/Calcutta, the name of old; another zone is named as it is today."""
    page = open_screen(timezone_id="Asia/Kolkata").page
    page.goto(counted + "&zone=Asia/Kolkata")
    expect(page.locator("figure canvas").first).to_be_visible()
    expect(page.locator("[data-in-my-zone]")).to_be_hidden()
    page.goto(counted + "&zone=Europe/Vienna")
    page.get_by_role("link", name="by the clock in Asia/Kolkata").click()
    expect(page.get_by_text("Days begin at midnight in Asia/Kolkata.").first).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_axe_finds_nothing(
    counted: str, open_screen: Callable[..., Screen], width: int, scheme: str
) -> None:
    """With a table open behind a figure."""
    size = {"width": width, "height": 900}
    page = open_screen(viewport=size, color_scheme=scheme, bypass_csp=True).page
    page.goto(counted)
    page.locator("figure summary").first.click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_script_the_numbers_are_there(
    counted: str, open_screen: Callable[..., Screen]
) -> None:
    page = open_screen(java_script_enabled=False).page
    page.goto(counted)
    expect(page.locator("canvas")).to_have_count(0)
    page.locator("#cancels summary").click()
    expect(page.get_by_role("row", name="5–15 s left")).to_contain_text("5,400")
    page.get_by_label("Kind").select_option("label")
    page.get_by_role("button", name="Show").click()
    page.locator("#cancels summary").click()
    expect(page.get_by_role("row", name="5–15 s left")).to_contain_text("1,800")
