"""The reports over a quarter of a year: how fast it is counted, how soon the page is there."""

import http.client
import time

from playwright.sync_api import sync_playwright
from sqlalchemy import func, select

from tests.bench.databases import fresh, settle
from tests.bench.past import plant
from tests.bench.served import Served, served
from tests.bench.tally import Line, p50, show, spread
from tests.fixtures.chromium import launch_options
from webapp.services.count import Counting
from webapp.services.digest import digest
from webapp.store.reading_schema import report_cell
from webapp.store.schema import event

ACTIONS = 1_000_000
"""They come to three million events, and fill the cells of every half hour of the day."""
DAYS = 90
PAINTED_MS = 2_000.0
_PATH = f"/reports?days={DAYS}"
_TIMES = 7
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]"


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    with fresh(backend) as url, served(url, worker=False) as where:
        desk = where.desk
        plant(desk, ACTIONS, desk.now(), DAYS)
        settle(desk)
        began, cpu = time.perf_counter(), time.process_time()
        while not digest(desk, [Counting()], 60):
            pass
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
        with desk.db.read() as tx:
            events = tx.conn.scalar(select(func.count()).select_from(event)) or 0
            cells = tx.conn.scalar(select(func.count()).select_from(report_cell)) or 0
        size, answered = _answers(where)
        painted = _paints(where)
    show(
        f"reports over {DAYS} days, {backend}",
        [
            Line("events counted", f"{events:,} in {took:.0f} s (CPU of Python {cpu:.0f} s)"),
            Line("events a second", f"{events / took:,.0f}"),
            Line("cells", f"{cells:,}"),
            Line("bytes of the page", f"{size:,}"),
            Line("answered (ms, p50 / p99 / max)", spread(answered)),
            Line(
                f"painted in a cold Chromium (ms, p50 / p99 / max of {_TIMES})",
                spread(painted),
                "",
                None,
                f"p50 <= {PAINTED_MS:g} ms",
                p50(painted) <= PAINTED_MS,
            ),
        ],
    )


def _answers(where: Served) -> tuple[int, list[float]]:
    line = http.client.HTTPConnection(where.host, where.port, timeout=60)
    took: list[float] = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        line.request("GET", _PATH, headers={"Cookie": where.cookie})
        answer = line.getresponse()
        page = answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            raise RuntimeError(f"the reports answered {answer.status}")
    line.close()
    return len(page), took


def _paints(where: Served) -> list[float]:
    """First contentful paint from the start of the navigation, each time with an empty cache."""
    url = f"http://{where.host}:{where.port}"
    name, _, value = where.cookie.partition("=")
    took: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(playwright))
        for _ in range(_TIMES):
            context = browser.new_context()
            context.add_cookies([{"name": name, "value": value, "url": url}])
            page = context.new_page()
            page.goto(url + _PATH)
            page.wait_for_function(f"() => {_PAINTED}", timeout=30_000)
            took.append(float(page.evaluate(f"() => {_PAINTED}.startTime")))
            context.close()
        browser.close()
    return took
