"""The feed's first page with 200 rows: how large, and how soon."""

import http.client
import time

from tests.bench.databases import fresh
from tests.bench.plant import plant, refund
from tests.bench.served import Served, served
from tests.bench.tally import Line, show, spread
from webapp.domain.times import SECOND

ROWS = 200
BYTES_AT_MOST = 200_000
_TIMES = 30


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    with fresh(backend) as url, served(url, worker=False) as where:
        soon = where.desk.now() + 3_600 * SECOND
        plant(where.desk, [soon + number for number in range(ROWS + 100)], refund, "refund")
        page, took = _pages(where)
    rows = page.count(b"<li data-action=") or page.count(b"data-action=")
    show(
        f"first page, {backend} ({_TIMES} times)",
        [
            Line("rows", str(rows)),
            Line(
                "bytes",
                f"{len(page):,}",
                "",
                None,
                f"<= {BYTES_AT_MOST:,}",
                len(page) <= BYTES_AT_MOST,
            ),
            Line("answered (ms, p50 / p99 / max)", spread(took)),
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
