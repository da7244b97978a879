"""The feed at its full size in Chromium: 3,000 rows, 50 changes/s, somebody at one of them."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.bench.databases import fresh
from tests.bench.plant import plant, refund
from tests.bench.served import Served, served
from tests.bench.tally import Line, p50, show, spread
from tests.fixtures.chromium import launch_options
from webapp.domain.errors import DeskError
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.clock import extend
from webapp.services.desk import Desk

ROWS = 3_000
CHANGES = 50
"""A second."""
SECONDS = 60
TASK_MS = 50.0
KEY_MS = 100.0
HEAP_MB = 8.0
_LOADED = f"() => document.querySelectorAll('li[data-action]').length >= {ROWS}"
_WATCH = """() => {
  window.seen = { tasks: [], lost: 0, changes: 0, moves: [], answers: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }).observe({ type: "longtask" });
  setInterval(() => { if (!document.activeElement?.closest("li")) seen.lost += 1; }, 100);
  const painted = (began, into) =>
    requestAnimationFrame(() => setTimeout(() => into.push(performance.now() - began)));
  let asked = null;
  new MutationObserver((list) => {
    for (const { target } of list) {
      seen.changes += 1;
      if (target !== asked?.row) continue;
      painted(asked.began, seen.answers);
      asked = null;
    }
  }).observe(document.querySelector("[data-feed]"), {
    subtree: true, attributes: true, attributeFilter: ["data-version"],
  });
  addEventListener("keydown", (event) => {
    if (event.key === "+") {
      asked = { row: document.activeElement.closest("li"), began: event.timeStamp };
    } else painted(event.timeStamp, seen.moves);
  }, { capture: true });
}"""


@dataclass
class Seen:
    """What one page went through. Times in ms."""

    tasks: list[float]
    """Those over 50 ms."""
    lost: int
    """How often, of ten looks a second, the focus was in no row."""
    changes: int
    moves: list[float]
    """From a key that moves to the frame that shows it."""
    answers: list[float]
    """From a key that asks the desk to the frame that shows the answer."""
    heap: float = 0.0
    """Growth in MB, after garbage was collected."""
    nodes: int = 0
    """Growth of the document's nodes."""


@dataclass
class Changer:
    """Gives rows more time, `CHANGES` a second, until told to stop."""

    desk: Desk
    ids: Sequence[str]
    changed: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """In a thread of its own."""
        chance, who, began = random.Random(7), Caller.command(), time.monotonic()
        due = began
        while not self.over.wait(max(0.0, due - time.monotonic())):
            due += 1 / CHANGES
            one = chance.choice(self.ids)
            try:
                extend(self.desk, one, who, seconds=chance.randrange(1, 90))
            except DeskError:
                continue  # that one is at its limit
            self.changed.append(one)


def measure(backend: str) -> None:
    """One table."""
    with fresh(backend) as url, served(url, worker=False) as where:
        soon = where.desk.now() + 600 * SECOND
        ids = plant(where.desk, [soon + n * SECOND for n in range(ROWS)], refund, "refund")
        found, made = _a_minute(where, ids)
    longest = max(found.tasks, default=0.0)
    rate = found.changes / SECONDS
    _show(backend, found, longest, made / SECONDS, rate)


def _show(backend: str, found: Seen, longest: float, made: float, rate: float) -> None:
    said = f"{len(found.tasks)}, {longest:.0f} ms" if found.tasks else "none"
    show(
        f"{ROWS:,} rows and {CHANGES} changes/s for {SECONDS} s, {backend}",
        [
            Line("changes made / shown a second", f"{made:.1f} / {rate:.1f}"),
            Line("tasks over 50 ms, the longest", said, "", None, "none", longest <= TASK_MS),
            Line("key to the row it moves to (ms, p50 / p99 / max)", spread(found.moves)),
            Line(
                "key to the painted answer (ms, p50 / p99 / max)",
                spread(found.answers),
                "",
                None,
                f"p50 <= {KEY_MS:g} ms",
                p50(found.answers) <= KEY_MS,
            ),
            Line("times that the focus was lost", str(found.lost), "", None, "0", not found.lost),
            Line(
                "heap growth (MB), nodes",
                f"{found.heap:+.1f}, {found.nodes:+d}",
                "",
                None,
                f"<= {HEAP_MB:g} MB",
                found.heap <= HEAP_MB,
            ),
        ],
    )


def _a_minute(where: Served, ids: Sequence[str]) -> tuple[Seen, int]:
    name, _, value = where.cookie.partition("=")
    url = f"http://{where.host}:{where.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(playwright))
        context = browser.new_context()
        context.add_cookies([{"name": name, "value": value, "url": url}])
        page = context.new_page()
        page.goto(url)
        page.wait_for_function(_LOADED, timeout=120_000)
        session = context.new_cdp_session(page)
        with changing(where.desk, ids[10:]) as changer:
            _press(page, 5)  # whatever the first changes build up is there
            before = _size(session)
            page.evaluate(_WATCH)
            at = len(changer.changed)
            _press(page, SECONDS)
            made = len(changer.changed) - at
        found = Seen(**page.evaluate("seen"))
        after = _size(session)
        browser.close()
    found.heap, found.nodes = (after[0] - before[0]) / 1e6, int(after[1] - before[1])
    return found, made


@contextmanager
def changing(desk: Desk, ids: Sequence[str]) -> Iterator[Changer]:
    """Changes rows meanwhile."""
    changer = Changer(desk, ids)
    thread = threading.Thread(target=changer.run)
    thread.start()
    try:
        yield changer
    finally:
        changer.over.set()
        thread.join(10)


def _press(page: Page, seconds: float) -> None:
    """Up and down among the first rows, with some more time for one now and then."""
    until = time.monotonic() + seconds
    keys = 0
    while time.monotonic() < until:
        page.keyboard.press("+" if keys % 4 == 3 else ("k" if keys % 8 > 3 else "j"))
        keys += 1
        page.wait_for_timeout(250)


def _size(session: CDPSession) -> tuple[float, float]:
    session.send("HeapProfiler.collectGarbage")
    used: Any = session.send("Runtime.getHeapUsage")["usedSize"]
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    nodes = next(one["value"] for one in metrics if one["name"] == "Nodes")
    return float(used), float(nodes)
