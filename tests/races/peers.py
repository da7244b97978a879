"""The counting peer as a process of its own, started and stopped."""

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests


@dataclass(frozen=True, slots=True)
class RunningPeer:
    """Where it listens."""

    address: str

    @property
    def url(self) -> str:
        """`http://HOST:PORT`."""
        return f"http://{self.address}"

    def counts(self) -> Counter[str]:
        """How many effects each key has had."""
        return Counter(requests.get(f"{self.url}/counts", timeout=30).json())


@contextmanager
def running_peer() -> Iterator[RunningPeer]:
    """A peer on a free port of loopback, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.fixtures.peer", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--file", str(Path(folder) / "effects")], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        try:
            yield RunningPeer(f"127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.terminate()
            process.wait(10)
            process.stdout.close()
