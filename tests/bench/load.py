"""A desk at work: 200 screens watch while agents draft 50 a second over HTTP and people cancel."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.bench import watchers
from tests.bench.beside import Cost, beside
from tests.bench.databases import fresh
from tests.bench.lateness import arrivals
from tests.bench.plant import refund
from tests.bench.served import Api, draft_body, served
from tests.bench.tally import Line, p99, show, spread
from tests.races.peers import RunningPeer, running_peer
from webapp.domain.times import from_rfc3339

SCREENS = 200
DRAFTS_A_SECOND = 50
CANCELS_A_SECOND = 10
P99_MS = 25.0
_POLICY = {
    "mode": "window",
    "window_seconds": "2",
    "margin_seconds": "0",
    "allow_no_undo": "yes",
}
_THREADS = 16
_TAIL = 3.0
"""Seconds after the last draft in which its window passes."""


def measure(backend: str, seconds: int) -> None:
    """One table."""
    with (
        fresh(backend) as url,
        running_peer() as peer,
        served(url, allow=peer.address, policy=_POLICY) as where,
    ):
        api = Api(where)
        watching = (where.host, where.port, where.cookie, "/feed/socket")
        doomed = [
            api.post("/actions", draft_body("refund", refund(number)), f"doomed-{number}")[1]["id"]
            for number in range(CANCELS_A_SECOND * seconds)
        ]
        with beside(watchers.run, watching, SCREENS, False) as screens:
            cost = Cost(where.pid)
            due, drafts, cancels = _work(api, peer, doomed, seconds)
            cores = cost.share()
            seen: watchers.Seen = screens.finish()
        began = arrivals(peer)
    late = [(began.get(one, float("inf")) - at) / 1000 for one, at in due.items()]
    target, early = f"p99 <= {P99_MS:g} ms", sum(1 for one in late if one < 0)
    show(
        f"under load, {backend}: {SCREENS} screens, {DRAFTS_A_SECOND} drafts/s over HTTP, "
        f"{len(late):,} effects (ms, p50 / p99 / max)",
        [
            Line(
                "lateness to the target's first byte",
                spread(late),
                "",
                None,
                target,
                p99(late) <= P99_MS,
            ),
            Line("begun before their time", str(early), "", None, "0", early == 0),
            Line(
                "cancel over HTTP",
                spread(cancels),
                "",
                None,
                target,
                p99(cancels) <= P99_MS,
            ),
            Line("draft over HTTP", spread(drafts)),
            Line("screens cut", str(seen.lost), "", None, "0", seen.lost == 0),
            Line("cores of the desk", f"{cores:.2f}"),
        ],
    )


def _work(
    api: Api, peer: RunningPeer, doomed: list[str], seconds: int
) -> tuple[dict[str, int], list[float], list[float]]:
    """When each draft may run (microseconds, by id), and how long calls took from their time on."""
    due: dict[str, int] = {}
    began = time.monotonic() + 0.2

    def draft(number: int, at: float) -> float:
        payload = {"url": f"{peer.url}/{number}", "method": "POST", "body": {"number": number}}
        status, answer = api.post("/actions", draft_body("webhook", payload), f"load-{number}")
        took = (time.monotonic() - at) * 1000
        if status != 201:
            raise RuntimeError(f"{status}: {answer}")
        due[answer["id"]] = from_rfc3339(answer["execute_at"])
        return took

    def cancel(number: int, at: float) -> float:
        path = f"/actions/{doomed[number]}/cancellation"
        status, answer = api.post(path, {"reason": "wrong amount"}, f"cancel-{number}")
        if status != 200:
            raise RuntimeError(f"{status}: {answer}")
        return (time.monotonic() - at) * 1000

    calls: list[tuple[float, Any, int]] = sorted(
        [
            *(
                (began + number / DRAFTS_A_SECOND, draft, number)
                for number in range(DRAFTS_A_SECOND * seconds)
            ),
            *((began + (n + 0.5) / CANCELS_A_SECOND, cancel, n) for n in range(len(doomed))),
        ],
        key=lambda call: call[0],
    )
    waiting: dict[Any, list[Future[float]]] = {draft: [], cancel: []}
    with ThreadPoolExecutor(_THREADS) as pool:
        for at, call, number in calls:
            time.sleep(max(0.0, at - time.monotonic()))
            waiting[call].append(pool.submit(call, number, at))
        time.sleep(_TAIL)
    took = {call: [future.result() for future in futures] for call, futures in waiting.items()}
    return due, took[draft], took[cancel]
