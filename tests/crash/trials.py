"""The trials: each disturbs a desk under load, lets it settle and says what was wrong."""

import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.crash.checker import check, settled, still_open
from tests.crash.load import Load
from tests.crash.stage import LEASE, SETTLED, SKU, SWEEP, Stage
from tests.failpoints import NAMES
from tests.failpoints.clock import step
from tests.unit.bodies import PAYLOADS
from webapp.domain.times import SECOND, to_rfc3339
from webapp.store.engine import host_clock

Trial = Callable[[Stage, Load], list[str]]

LOADS_AT_MOST = 4
REST = 2.0
"""Seconds in which a load's last effects come, after its last answer."""
RESCUED = LEASE + SWEEP + 5.0
"""Seconds until a living worker has taken over from a lost one, on a busy machine."""
AWAY = 60 * SECOND
STEPS = (5, 3_600, 86_400)
_chance = random.Random(23)


def _named(trial: Trial, name: str) -> Trial:
    trial.__name__ = name
    return trial


def killed_at(name: str) -> Trial:
    """kill -9 at a failpoint, in whichever process comes there first."""

    def trial(stage: Stage, load: Load) -> list[str]:
        spec = f"{name}:kill"
        if not name.startswith("sweep"):
            return _verdict(stage, fired=_fire(stage, load, spec))
        # The sweep has something to do only after a worker has died with it.
        _fire(stage, load, "effect.before-send:kill", lambda _pid: stage.arm(spec))
        with suppress(AssertionError):
            stage.wait(stage.fired.exists)
        return _verdict(stage, fired=stage.fired.exists())

    return _named(trial, f"killed at {name}")


def killed_at_random(stage: Stage, load: Load) -> list[str]:
    """kill -9 of any process at any moment."""
    with _beside(load):
        time.sleep(_chance.uniform(0, 1.5))
        role, pid = _chance.choice(list(stage.victims().items()))
        with suppress(ProcessLookupError):
            (os.killpg if role == "serve" else os.kill)(pid, signal.SIGKILL)
    return _verdict(stage)


def frozen_at(name: str) -> Trial:
    """SIGSTOP until the lease is over and others have taken over; then it goes on, a zombie."""

    def thaw(pid: int) -> None:
        time.sleep(LEASE + SWEEP + 0.5)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def trial(stage: Stage, load: Load) -> list[str]:
        return _verdict(stage, fired=_fire(stage, load, f"{name}:stop", thaw))

    return _named(trial, f"frozen at {name}")


def connection_lost(stage: Stage, load: Load) -> list[str]:
    """A cancel's connection to the database is gone after its commit."""
    action = _to_cancel(load)
    stage.arm("cancel.after-commit:drop")
    return _won(load, action) + _verdict(stage, fired=stage.fired.exists())


def reply_lost(stage: Stage, load: Load) -> list[str]:
    """A client's connection is gone before the answer; it asks again with its key."""
    action = _to_cancel(load)
    host, _, port = stage.desk.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as gone:
        gone.sendall(
            f"POST /api/v1/actions/{action}/cancellation HTTP/1.1\r\nHost: {host}\r\n"
            f"Authorization: Bearer {stage.token}\r\nIdempotency-Key: c-{action}\r\n"
            "Content-Length: 0\r\n\r\n".encode()
        )
        stage.wait(lambda: load.client.state(action) == "cancelled")
    return _won(load, action) + _verdict(stage)


def backends_terminated(stage: Stage, load: Load) -> list[str]:
    """Every connection to the database ends, again and again, in the middle of everything."""
    assert stage.server
    with _beside(load):
        for _ in range(10):
            time.sleep(_chance.uniform(0.05, 0.25))
            stage.server.terminate(stage.url)
    return _verdict(stage)


def server_restarted(stage: Stage, load: Load) -> list[str]:
    """The database server dies and comes back."""
    assert stage.server
    with _beside(load):
        time.sleep(_chance.uniform(0, 1))
        stage.server.restart()
    return _verdict(stage)


def clock_stepped(seconds: int) -> Trial:
    """The host's clock jumps back under load, a worker is lost meanwhile, and it jumps forth."""

    def trial(stage: Stage, load: Load) -> list[str]:
        faults: list[str] = []

        def rescued(pid: int) -> None:
            # Killed, not frozen: a frozen process may hold SQLite's one lock.
            faults.extend(_wait(stage, lambda: not _held_by(stage, pid), RESCUED))
            stage.resting.clear()

        with _beside(load, waiting=False):
            step(stage.clock, -seconds)
        before = len(stage.answers.given)
        stage.resting.set()
        fired = _fire(stage, load, "effect.before-send:kill", rescued)
        stage.resting.clear()
        new = [answer.action for answer in stage.answers.given[before:]]
        faults += _wait(stage, lambda: settled(stage, new))
        with _beside(load, waiting=False):
            step(stage.clock, 0)
        return [*faults, *_verdict(stage, fired=fired)]

    return _named(trial, f"clock stepped by {seconds} s")


def _held_by(stage: Stage, pid: int) -> list[Any]:
    """What the worker in process `pid` has claimed."""
    return [row for row in still_open(stage) if f"-{pid}-" in (row.worker or "")]


KILLS = tuple(killed_at(name) for name in NAMES)
FREEZES = tuple(frozen_at(name) for name in ("effect.before-send", "finish.before-commit"))
LOST = (connection_lost, reply_lost)
OUTAGES = (backends_terminated, server_restarted)
STEPPED = tuple(clock_stepped(seconds) for seconds in STEPS)


@contextmanager
def _beside(load: Load, *, waiting: bool = True) -> Iterator[threading.Thread]:
    """The load runs meanwhile; the block's end waits for its last answer."""
    running = threading.Thread(target=load.run, args=(waiting,), name="load")
    running.start()
    try:
        yield running
    finally:
        running.join()


def _fire(
    stage: Stage, load: Load, spec: str, then: Callable[[int], None] = lambda _pid: None
) -> bool:
    """Whether it fired under a few loads; `then` is called with the process that it met."""
    stage.arm(spec)
    for _ in range(LOADS_AT_MOST):
        with _beside(load) as running:
            rest = time.monotonic() + REST
            while not stage.fired.exists() and time.monotonic() < rest:
                time.sleep(0.02)
                if running.is_alive():
                    rest = time.monotonic() + REST
            if stage.fired.exists():
                stage.wait(lambda: stage.fired.read_text().isdigit())
                then(int(stage.fired.read_text()))
                return True
    return False


def _to_cancel(load: Load) -> str:
    # Far enough away that the cancel wins on a busy machine too.
    later = to_rfc3339(host_clock() + AWAY)
    made = load.draft("exchange", PAYLOADS["exchange"] | {"sku": SKU}, not_before=later)
    assert made
    return str(made["id"])


def _won(load: Load, action: str) -> list[str]:
    told = load.client.cancel(action)
    if (told.status, told.body.get("result")) == (200, "cancelled"):
        return []
    return [f"the caller that won was told {told.status} {told.body}"[:300]]


def _wait(stage: Stage, what: Callable[[], bool], seconds: float = SETTLED) -> list[str]:
    try:
        stage.wait(what, seconds)
    except AssertionError:
        return [f"stuck after {seconds} s: {row}" for row in still_open(stage)[:5]]
    return []


def _verdict(stage: Stage, *, fired: bool = True) -> list[str]:
    stage.disarm()
    late = _wait(stage, lambda: settled(stage))
    return [*late, *check(stage), *([] if fired else ["it was never reached"])]
