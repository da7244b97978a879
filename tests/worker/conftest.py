"""Workers in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fixtures.desk import Process, wait_until


@pytest.fixture
def lone_worker(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """`lone_worker(database_url, LEASE_SECONDS="2", …)` starts one and returns once it runs."""
    started: list[Process] = []

    def start(database_url: str, **settings: str) -> Process:
        log = tmp_path / f"worker-{len(started)}.log"
        own = {f"UNDO_DESK_{name}": value for name, value in settings.items()}
        with log.open("wb") as output:
            popen = subprocess.Popen(
                [sys.executable, "-m", "tests.worker.lone"],
                env={
                    **os.environ,
                    "PYTHONPATH": str(Path(__file__).parents[2]),
                    "UNDO_DESK_DATABASE_URL": database_url,
                    **own,
                },
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        process = Process(popen, log)
        started.append(process)
        wait_until(lambda: "effects at once" in log.read_text(), seconds=30, every=0.05)
        return process

    yield start
    for process in started:
        if process.popen.poll() is None:
            process.kill()
