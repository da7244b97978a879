"""One call after the other: drafting and cancelling, as a service call and over HTTP."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.bench import bare
from tests.bench.databases import fresh, opened
from tests.bench.plant import refund
from tests.bench.served import Api, draft_body, served
from tests.bench.tally import Line, p99, show, spread
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.cancel import Cancelled, cancel
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.agents import Agent

NUMBER = 2_000
CLIENTS = 8
DRAFTS_A_SECOND = {"sqlite": 2_500, "postgresql": 2_100}
HTTP_DRAFTS_A_SECOND = 400
CANCEL_P99_MS = 2.0
_WARM = 200
_AGENT = Agent("bench", frozenset(("draft", "cancel")))
_WINDOW = {"mode": "window", "window_seconds": "3600"}


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    with fresh(backend) as url:
        with opened(url, **_WINDOW) as desk:
            limit, limit_cancel = _bare(url)
            rate, ids = _drafts(desk)
            cancels = _cancels(desk, ids)
        http = _over_http(url)
    target = DRAFTS_A_SECOND[backend]
    show(
        f"one by one, {backend} ({NUMBER:,} each; cancels in ms, p50 / p99 / max)",
        [
            Line(
                "drafts/s by the service, with event",
                f"{rate:,.0f}",
                f"{limit:,.0f}",
                rate / limit,
                f">= {target:,}",
                rate >= target,
            ),
            Line(
                f"drafts/s over HTTP, {CLIENTS} clients",
                f"{http:,.0f}",
                f"{limit:,.0f}",
                http / limit,
                f">= {HTTP_DRAFTS_A_SECOND}",
                http >= HTTP_DRAFTS_A_SECOND,
            ),
            Line(
                "cancel by the service",
                spread(cancels),
                spread(limit_cancel),
                p99(cancels) / p99(limit_cancel),
                f"p99 <= {CANCEL_P99_MS:g} ms",
                p99(cancels) <= CANCEL_P99_MS,
            ),
        ],
    )


def _bare(url: str) -> tuple[float, list[float]]:
    jobs = bare.connect(url)
    due = time.time_ns() // 1000 + 3_600 * SECOND
    for number in range(_WARM):
        jobs.insert(-1 - number, due)
    rate = _rate(NUMBER, lambda number: jobs.insert(number, due))
    took = [_ms(lambda number=number: jobs.cancel(number)) for number in range(NUMBER)]  # type: ignore[misc]
    jobs.close()
    return rate, took


def _drafts(desk: Desk) -> tuple[float, list[str]]:
    ids: list[str] = []

    def one(number: int) -> None:
        body = draft_body("refund", refund(number))
        ids.append(draft(desk, _AGENT, body, f"bench-{number}").action.id)

    for number in range(_WARM):
        one(-1 - number)
    return _rate(NUMBER, one), ids[_WARM:]


def _cancels(desk: Desk, ids: list[str]) -> list[float]:
    ana = Caller("staff:ana@example.com", "Ana", None, 1)

    def one(action: str) -> None:
        if not isinstance(cancel(desk, action, ana, reason="wrong amount"), Cancelled):
            raise RuntimeError("a cancel of the bench did not win")

    return [_ms(lambda action=action: one(action)) for action in ids]  # type: ignore[misc]


def _over_http(url: str) -> float:
    with served(url) as where, ThreadPoolExecutor(CLIENTS) as clients:
        api = Api(where)

        def one(number: int) -> None:
            status, answer = api.post(
                "/actions", draft_body("refund", refund(number)), f"http-{number}"
            )
            if status != 201:
                raise RuntimeError(f"{status}: {answer}")

        list(clients.map(one, range(-_WARM, 0)))
        began = time.perf_counter()
        list(clients.map(one, range(NUMBER)))
        return NUMBER / (time.perf_counter() - began)


def _rate(number: int, work: Callable[[int], object]) -> float:
    began = time.perf_counter()
    for one in range(number):
        work(one)
    return number / (time.perf_counter() - began)


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000
