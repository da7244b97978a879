"""A disk that is broken or full: strace gives its errors to the calls of the database's process.

Calls are counted in each thread (SQLite) or process (PostgreSQL) by itself: there the n-th fails.
"""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.crash.load import Load
from tests.crash.stage import Stage
from tests.crash.steps import verdict
from tests.fixtures.desk import wait_until
from tests.fixtures.postgres import PostgresServer

_TRACE = ("strace", "-f", "-qq")
_FILES = ("", "-wal", "-journal", "-shm")
_LOOK = 0.01


@dataclass(frozen=True, slots=True)
class Disk:
    """What is wrong with it: which calls bring which error, and for how many calls on end."""

    calls: str
    error: str
    lasts: int = 1

    def at(self, nth: int, log: Path) -> tuple[str, ...]:
        """The arguments of strace that make the n-th call fail, and tell of it in `log`."""
        when = f"{nth}..{nth + self.lasts - 1}"
        inject = f"inject={self.calls}:error={self.error}:when={when}"
        return ("-o", str(log), "-e", f"trace={self.calls}", "-e", inject)


BROKEN = Disk("fsync,fdatasync", "EIO")
# No `write`: PostgreSQL sends its wake-ups with it, and neither database its pages.
FULL = Disk("pwrite64,pwritev,pwritev2,fallocate", "ENOSPC", lasts=10)


def missing() -> str | None:
    """Why there can be no such trial here; None: there can."""
    if shutil.which(_TRACE[0]) is None:
        return "strace is not installed"
    tried = subprocess.run([*_TRACE, "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace: {tried.stderr.strip()}" if tried.returncode else None


def fail(disk: Disk, nth: int, stage: Stage, load: Load) -> tuple[int, list[str]]:
    """How many calls failed under a load, and what was wrong when it had settled."""
    logs = [stage.desk.folder / f"strace-{nth}-{role}" for role in ("serve", "worker")]
    if stage.server is None:
        database = stage.url.removeprefix("sqlite:///")
        files = [part for end in _FILES for part in ("-P", f"{database}{end}")]
        for log in logs:
            # -D: the traced process stays the one that was started.
            under = (*_TRACE, "-D", "--seccomp-bpf", *files, *disk.at(nth, log))
            stage.start_again(log.name.rpartition("-")[2], under)
        load.run()
        faults = verdict(stage)
    else:
        with _attached(stage.server, disk.at(nth, logs[0]), logs[0]):
            load.run()
            faults = verdict(stage)
    return sum(map(_failed, logs)), faults


def _failed(log: Path) -> int:
    with suppress(FileNotFoundError):
        return log.read_text(errors="replace").count("(INJECTED)")
    return 0


@contextmanager
def _attached(server: PostgresServer, arguments: tuple[str, ...], log: Path) -> Iterator[None]:
    """The server runs under strace until the first call has failed, and is kept running."""
    children = psutil.Process(server.pid).children()
    processes = [f"-p{pid}" for pid in (server.pid, *(child.pid for child in children))]
    over = threading.Event()
    with subprocess.Popen([*_TRACE, *arguments, *processes], stderr=subprocess.DEVNULL) as tracer:
        wait_until(lambda: _is_traced(server.pid))

        def keep() -> None:
            while not over.wait(_LOOK):
                if _failed(log):
                    # It panics and recovers, which it could not while each new process fails too.
                    tracer.terminate()
                if not server.runs:
                    server.stay_up()

        keeper = threading.Thread(target=keep, name="keeper")
        keeper.start()
        try:
            yield
        finally:
            over.set()
            keeper.join()
            tracer.terminate()


def _is_traced(pid: int) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in lines)
