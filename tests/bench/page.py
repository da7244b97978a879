"""The feed's first page with 200 rows: how large, and how soon. Then all of it (`scale.py`)."""

import http.client
import time

from playwright.sync_api import sync_playwright

from tests.bench import scale
from tests.bench.databases import fresh
from tests.bench.plant import plant, refund
from tests.bench.served import Served, served
from tests.bench.tally import Line, p50, show, spread
from tests.fixtures.chromium import launch_options
from webapp.domain.times import SECOND

ROWS = 200
BYTES_AT_MOST = 200_000
PAINTED_MS = 1_000.0
_TIMES = 30
_PAINTS = 7
_PAINTED_AT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure(backend: str, _seconds: int) -> None:
    """Two tables."""
    _first(backend)
    scale.measure(backend)


def _first(backend: str) -> None:
    with fresh(backend) as url, served(url, worker=False) as where:
        soon = where.desk.now() + 3_600 * SECOND
        plant(where.desk, [soon + number for number in range(ROWS + 100)], refund, "refund")
        page, took = _pages(where)
        painted = _painted(where)
    show(
        f"first page, {backend} ({_TIMES} times)",
        [
            Line("rows", str(page.count(b"data-action="))),
            Line(
                "bytes",
                f"{len(page):,}",
                "",
                None,
                f"<= {BYTES_AT_MOST:,}",
                len(page) <= BYTES_AT_MOST,
            ),
            Line("answered (ms, p50 / p99 / max)", spread(took)),
            Line(
                f"painted in a cold Chromium (ms, p50 / p99 / max of {_PAINTS})",
                spread(painted),
                "",
                None,
                f"p50 <= {PAINTED_MS:g} ms",
                p50(painted) <= PAINTED_MS,
            ),
        ],
    )


def _pages(where: Served) -> tuple[bytes, list[float]]:
    line = http.client.HTTPConnection(where.host, where.port, timeout=30)
    took: list[float] = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        line.request("GET", "/", headers={"Cookie": where.cookie})
        answer = line.getresponse()
        page = answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            raise RuntimeError(f"the feed answered {answer.status}")
    line.close()
    return page, took[1:]


def _painted(where: Served) -> list[float]:
    """First contentful paint from the start of the navigation, each time with an empty cache."""
    url = f"http://{where.host}:{where.port}/"
    name, _, value = where.cookie.partition("=")
    took: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(playwright))
        for _ in range(_PAINTS):
            context = browser.new_context()
            context.add_cookies([{"name": name, "value": value, "url": url}])
            page = context.new_page()
            page.goto(url)
            page.wait_for_function(f"() => {_PAINTED_AT.partition('.startTime')[0]}")
            took.append(float(page.evaluate(f"() => {_PAINTED_AT}")))
            context.close()
        browser.close()
    return took
