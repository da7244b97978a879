"""From a commit in this process to the last of many screens of a served desk.

Beside: asyncio `websockets` broadcasting as many frames to the same screens, of 400 bytes and of
our own frames' size.
"""

import asyncio
import time
from typing import Any

from websockets.asyncio.server import broadcast, serve

from tests.bench import watchers
from tests.bench.beside import Cost, beside
from tests.bench.databases import fresh
from tests.bench.plant import plant, refund
from tests.bench.served import Served, served
from tests.bench.tally import Line, p99, show, spread
from tests.fixtures.desk import free_port
from webapp.domain.times import SECOND
from webapp.services import clock
from webapp.services.caller import Caller

SIZES = (100, 500, 1_000, 2_000)
EVENTS = 50
P99_MS = 60.0
SMALL = 400
"""Bytes of the frame that FIGURES compares with."""
_EVERY = 0.1
_SETTLE = 1.5
"""Seconds before the first event: joins are told to everybody within one second."""


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    lines = []
    with fresh(backend) as url, served(url, worker=False) as where:
        for size in SIZES:
            ours, frame_bytes, cores = _ours(where, size)
            small, _ = _broadcast(size, SMALL)
            equal, their_cores = _broadcast(size, frame_bytes)
            met = p99(ours) <= P99_MS if size == max(SIZES) else None
            target = f"p99 <= {P99_MS:g} ms" if met is not None else ""
            ratio = p99(ours) / p99(small)
            lines += [
                Line(f"{size:,} screens", spread(ours), spread(small), ratio, target, met),
                Line(
                    f"  bare with our {frame_bytes:,} bytes",
                    f"{cores:.2f} cores",
                    f"{spread(equal)}, {their_cores:.2f} cores",
                    p99(ours) / p99(equal),
                ),
            ]
    show(f"commit to the last screen, {backend} (ms, p50 / p99 / max of {EVENTS})", lines)


def _ours(where: Served, size: int) -> tuple[list[float], int, float]:
    desk = where.desk
    ids = plant(desk, [desk.now() + 3_600 * SECOND] * EVENTS, refund, "refund")
    ana = Caller("staff:ana@example.com", "Ana", None, 1)
    address = (where.host, where.port, where.cookie, "/feed/socket")
    committed: dict[str, int] = {}
    with beside(watchers.run, address, size, True) as screens:
        time.sleep(_SETTLE)
        cost, began = Cost(where.pid), time.monotonic()
        for number, action in enumerate(ids):
            time.sleep(max(0.0, began + number * _EVERY - time.monotonic()))
            clock.extend(desk, action, ana, seconds=1)
            committed[f"{action} 2"] = time.time_ns()
        time.sleep(_SETTLE)
        cores = cost.share()
        seen: watchers.Seen = screens.finish()
    return _took(committed, seen, size), seen.frame_bytes, cores


def _broadcast(size: int, frame_bytes: int) -> tuple[list[float], float]:
    port = free_port()
    with (
        beside(_serve, port, frame_bytes) as server,
        beside(watchers.run, ("127.0.0.1", port, "", "/"), size, True) as screens,
    ):
        time.sleep(_SETTLE)
        cost = Cost(server.pid)
        time.sleep(EVENTS * _EVERY)
        cores = cost.share()
        sent: dict[str, int] = server.finish()
        seen: watchers.Seen = screens.finish()
    # The first ones went out while screens still joined, the last ones while they left.
    whole = {mark: at for mark, at in sent.items() if seen.count.get(mark) == size}
    return _took(whole, seen, size), cores


def _took(sent: dict[str, int], seen: watchers.Seen, size: int) -> list[float]:
    """Milliseconds until the last had each; without end where not every screen had it."""
    return [
        (seen.last_ns[mark] - at) / 1e6 if seen.count.get(mark) == size else float("inf")
        for mark, at in sent.items()
    ]


def _serve(ready: Any, stop: Any, port: int, frame_bytes: int) -> dict[str, int]:
    """The limit: broadcasts every 100 ms; when each frame was sent."""
    return asyncio.run(_serving(ready, stop, port, frame_bytes))


async def _serving(ready: Any, stop: Any, port: int, frame_bytes: int) -> dict[str, int]:
    sent: dict[str, int] = {}

    async def stay(connection: Any) -> None:
        await connection.wait_closed()

    async with serve(stay, "127.0.0.1", port, compression=None, max_queue=None) as server:
        ready.set()
        while not stop.is_set():
            mark = f"row-{len(sent)}"
            text = f'{{"type":"row","id":"{mark}","version":2,"html":"'.ljust(frame_bytes - 2, "x")
            sent[f"{mark} 2"] = time.time_ns()
            broadcast(server.connections, text + '"}')
            await asyncio.sleep(_EVERY)
        server.close(close_connections=False)
        for connection in list(server.connections):
            connection.transport.abort()
    return sent
