"""The trials: each disturbs a desk under load, lets it settle and says what was wrong."""

import os
import random
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.crash.checker import settled, still_open
from tests.crash.load import Load
from tests.crash.stage import LEASE, SKU, SWEEP, Stage
from tests.crash.steps import beside, fire, verdict, wait
from tests.failpoints import NAMES
from tests.failpoints.clock import step
from tests.fixtures.postgres import PostgresServer
from tests.unit.bodies import PAYLOADS
from webapp.domain.times import SECOND, to_rfc3339
from webapp.store.engine import host_clock

Trial = Callable[[Stage, Load], list[str]]

RESCUED = LEASE + SWEEP + 5.0
"""Seconds until a living worker has taken over from a lost one, on a busy machine."""
AWAY = 60 * SECOND
SEVERAL_STATEMENTS = ("cancel", "finish", "cascade")
"""What takes more than one statement on PostgreSQL: before its commit a transaction is open."""
TRIES = 3
"""Times that it is tried to meet an open transaction."""
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
            return verdict(stage, fired=fire(stage, load, spec))
        # The sweep has something to do only after a worker has died with it.
        fire(stage, load, "effect.before-send:kill", lambda _pid: stage.arm(spec))
        with suppress(AssertionError):
            stage.wait(stage.fired.exists)
        return verdict(stage, fired=stage.fired.exists())

    return _named(trial, f"killed at {name}")


def killed_at_random(stage: Stage, load: Load) -> list[str]:
    """kill -9 of any process at any moment."""
    with beside(load):
        time.sleep(_chance.uniform(0, 1.5))
        role, pid = _chance.choice(list(stage.victims().items()))
        with suppress(ProcessLookupError):
            (os.killpg if role == "serve" else os.kill)(pid, signal.SIGKILL)
    return verdict(stage)


def frozen_at(name: str) -> Trial:
    """SIGSTOP until the lease is over and others have taken over; then it goes on, a zombie."""

    def thaw(pid: int) -> None:
        time.sleep(LEASE + SWEEP + 0.5)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def trial(stage: Stage, load: Load) -> list[str]:
        return verdict(stage, fired=fire(stage, load, f"{name}:stop", thaw))

    return _named(trial, f"frozen at {name}")


def connection_lost(stage: Stage, load: Load) -> list[str]:
    """A cancel's connection to the database is gone after its commit."""
    action = _to_cancel(load)
    stage.arm("cancel.after-commit:drop")
    return _won(load, action) + verdict(stage, fired=stage.fired.exists())


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
    return _won(load, action) + verdict(stage)


def backends_terminated(stage: Stage, load: Load) -> list[str]:
    """Every connection to the database ends, again and again, in the middle of everything."""
    assert stage.server
    with beside(load):
        ended = 0
        for _ in range(10):
            time.sleep(_chance.uniform(0.05, 0.25))
            ended += stage.server.terminate(stage.url)
    return verdict(stage, fired=ended > 0)


def server_restarted(stage: Stage, load: Load) -> list[str]:
    """The database server dies and comes back."""
    assert stage.server
    with beside(load):
        time.sleep(_chance.uniform(0, 1))
        stage.server.restart()
    return verdict(stage)


def in_a_transaction(cut: Callable[[Stage, PostgresServer], object], name: str) -> Trial:
    """The same while a transaction is open for certain: its process stops before the commit."""

    def trial(stage: Stage, load: Load) -> list[str]:
        server, seen = stage.server, []
        assert server

        def lost(pid: int) -> None:
            with suppress(AssertionError):
                stage.wait(lambda: server.open_transactions(stage.url) > 0, RESCUED)
                seen.append(pid)
            cut(stage, server)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

        for _ in range(TRIES):
            spec = f"{_chance.choice(SEVERAL_STATEMENTS)}.before-commit:stop"
            found = verdict(stage, fired=fire(stage, load, spec, lost))
            if found or seen:
                return found
        return ["no transaction was open"]

    return _named(trial, f"{name} in a transaction")


def clock_stepped(seconds: int) -> Trial:
    """The host's clock jumps back under load, a worker is lost meanwhile, and it jumps forth."""

    def trial(stage: Stage, load: Load) -> list[str]:
        faults: list[str] = []

        def rescued(pid: int) -> None:
            # Killed, not frozen: a frozen process may hold SQLite's one lock.
            faults.extend(wait(stage, lambda: not _held_by(stage, pid), RESCUED))
            stage.resting.clear()

        with beside(load, waiting=False):
            step(stage.clock, -seconds)
        before = len(stage.answers.given)
        stage.resting.set()
        fired = fire(stage, load, "effect.before-send:kill", rescued)
        stage.resting.clear()
        new = [answer.action for answer in stage.answers.given[before:]]
        faults += wait(stage, lambda: settled(stage, new))
        with beside(load, waiting=False):
            step(stage.clock, 0)
        return [*faults, *verdict(stage, fired=fired)]

    return _named(trial, f"clock stepped by {seconds} s")


def _held_by(stage: Stage, pid: int) -> list[Any]:
    """What the worker in process `pid` has claimed."""
    return [row for row in still_open(stage) if f"-{pid}-" in (row.worker or "")]


KILLS = tuple(killed_at(name) for name in NAMES)
FREEZES = tuple(frozen_at(name) for name in ("effect.before-send", "finish.before-commit"))
LOST = (connection_lost, reply_lost)
OUTAGES = (
    backends_terminated,
    server_restarted,
    in_a_transaction(lambda stage, server: server.terminate(stage.url), "backends terminated"),
    in_a_transaction(lambda _stage, server: server.restart(), "server restarted"),
)
STEPPED = tuple(clock_stepped(seconds) for seconds in STEPS)


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
