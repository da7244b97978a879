"""From the time at which an action may be claimed to the connector's first byte, nothing else on.

50 actions a second for 20 seconds, with none, 100,000 and 1,000,000 more waiting in the table.
"""

import time
from collections.abc import Mapping, Sequence

import requests

from tests.bench import bare, workers
from tests.bench.beside import Cost, beside
from tests.bench.databases import FIRST_PENDING, fill, fresh, opened, settle
from tests.bench.plant import plant, refund, spaced
from tests.bench.tally import Line, p99, show, spread
from tests.races.peers import RunningPeer, running_peer
from webapp.domain.ids import idempotency_key
from webapp.domain.times import SECOND
from webapp.services.desk import Desk

A_SECOND = 50
SIZES = (0, 100_000, 1_000_000)
SLOTS = 16
P99_MS, TIMES_BARE, CORES = 5.0, 2.5, 0.06
_SOON = 3 * SECOND


def measure(backend: str, seconds: int, sizes: Sequence[int] = SIZES) -> None:
    """One table a size."""
    with fresh(backend) as url, opened(url) as desk, running_peer() as peer:
        desk.db.wakeup.watch()
        jobs = bare.connect(url)
        filled = 0
        for size in sizes:
            fill(desk, filled + 1, size)
            if size > filled:
                jobs.fill(filled + 1, size, desk.now() + FIRST_PENDING)
                settle(desk)
                filled = size
            _one(f"lateness, {backend}, {size:,} pending", desk, peer, jobs, seconds)
        jobs.close()


def _one(title: str, desk: Desk, peer: RunningPeer, jobs: bare.Bare, seconds: int) -> None:
    limit, cores = _limit(desk, jobs, seconds)
    connector, share = _connector(desk, seconds)
    wire = _wire(desk, peer, seconds)
    late = p99(connector) / p99(limit)
    early = sum(1 for one in (*connector, *wire) if one < 0)
    show(
        f"{title} (ms, p50 / p99 / max of {len(connector):,})",
        [
            Line(
                "to the connector's call",
                spread(connector),
                spread(limit),
                late,
                f"p99 <= {P99_MS:g} ms",
                p99(connector) <= P99_MS,
            ),
            Line("  times bare", "", "", late, f"<= {TIMES_BARE:g}", late <= TIMES_BARE),
            Line(
                "to the webhook's first byte at its target",
                spread(wire),
                spread(limit),
                p99(wire) / p99(limit),
                f"p99 <= {P99_MS:g} ms",
                p99(wire) <= P99_MS,
            ),
            Line("begun before their time", str(early), "", None, "0", early == 0),
            Line(
                f"cores at {A_SECOND}/s",
                f"{share:.3f}",
                f"{cores:.3f}",
                share / cores if cores else None,
                f"< {CORES:g}",
                share < CORES,
            ),
        ],
    )


def _times(desk: Desk, seconds: int) -> list[int]:
    return spaced(desk.now() + _SOON, A_SECOND * seconds, SECOND // A_SECOND)


def _until(due: Sequence[int]) -> None:
    # The window of the measurement itself, not a wait for something to happen.
    time.sleep(max(0.0, due[-1] / SECOND - time.time() + 0.5))


def _limit(desk: Desk, jobs: bare.Bare, seconds: int) -> tuple[list[float], float]:
    with beside(bare.run, desk.settings.database_url) as loop:
        due = _times(desk, seconds)
        first = time.time_ns()
        jobs.add([(first + number, at) for number, at in enumerate(due)])
        _until(due[:1])
        cost = Cost(loop.pid)
        _until(due)
        share = cost.share()
        late: list[float] = loop.finish()
    return late, share


def _connector(desk: Desk, seconds: int) -> tuple[list[float], float]:
    with beside(workers.run, desk.settings.database_url, SLOTS, ()) as worker:
        due = _times(desk, seconds)
        planted = dict(zip(plant(desk, due, refund, "refund"), due, strict=True))
        _until(due[:1])
        cost = Cost(worker.pid)
        _until(due)
        share = cost.share()
        began: dict[str, int] = worker.finish()
    return _late(planted, {one: at / 1000 for one, at in began.items()}), share


def _wire(desk: Desk, peer: RunningPeer, seconds: int) -> list[float]:
    def payload(number: int) -> dict[str, object]:
        return {"url": f"{peer.url}/{number}", "method": "POST", "body": {"number": number}}

    with beside(workers.run, desk.settings.database_url, SLOTS, (peer.address,)) as worker:
        due = _times(desk, seconds)
        planted = dict(zip(plant(desk, due, payload, "webhook"), due, strict=True))
        _until(due)
        worker.finish()
    return _late(planted, arrivals(peer))


def arrivals(peer: RunningPeer) -> dict[str, int]:
    """By action id: when the peer read the first byte, UTC microseconds."""
    entries = requests.get(f"{peer.url}/effects", timeout=30).json()
    key = len(idempotency_key(""))
    return {entry["key"][key:]: entry["at_us"] for entry in entries}


def _late(planted: Mapping[str, int], began: Mapping[str, float]) -> list[float]:
    # What was never begun is late without end, and shows as such.
    return [(began.get(one, float("inf")) - due) / 1000 for one, due in planted.items()]
