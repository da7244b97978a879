"""Several processes on one ledger: one effect a key, nothing lost, nobody sees "locked"."""

import multiprocessing
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from webapp.connectors.base import EffectRequest
from webapp.connectors.sandbox.connector import SandboxConnector
from webapp.connectors.sandbox.ledger import Ledger

PROCESSES = 4
KEYS = 200


def _work(path: Path, me: int, together: Barrier, done: "Queue[str]") -> None:
    sandbox = SandboxConnector(Ledger(path))
    together.wait()
    for number in range(KEYS):
        for key in (f"shared_{number}", f"own_{me}_{number}"):
            sandbox.send(EffectRequest(key, "label", {}, "1", 1, time.monotonic() + 20))
    done.put("done")


def test_processes_that_start_at_once(tmp_path: Path) -> None:
    """rails/solid_queue#309: a busy database lost what was asked of it."""
    path = tmp_path / "sandbox.db"
    # Spawned, as workers are: also the file is made by all of them at once.
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(PROCESSES)
    done: Queue[str] = context.Queue()
    processes = [
        context.Process(target=_work, args=(path, me, together, done)) for me in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    assert [done.get(timeout=5) for _ in processes] == ["done"] * PROCESSES
    keys = [entry.key for entry in Ledger(path).entries()]
    assert len(keys) == len(set(keys)) == KEYS + PROCESSES * KEYS
    assert len(Ledger(path).entries(limit=5)) == 5
