"""What happens at a point: once, in whichever process comes there first."""

import os
import signal
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy.exc import OperationalError

from tests.failpoints import NAMES

ACTIONS = ("kill", "stop", "drop", "exit")
EXIT_STATUS = 70


@dataclass(frozen=True, slots=True)
class Spec:
    """At the `nth` time that a process reaches `name`."""

    name: str
    action: str
    nth: int = 1

    @classmethod
    def parse(cls, text: str) -> "Spec":
        """From `NAME:ACTION[:NTH]`. Raises ValueError for what could never fire."""
        name, action, *rest = text.strip().split(":")
        if name not in NAMES or action not in ACTIONS or len(rest) > 1:
            raise ValueError(f"no failpoint: {text!r}")
        return cls(name, action, int(rest[0]) if rest else 1)


class Handler:
    """Compares every point that is reached with the spec in force."""

    def __init__(self, source: str) -> None:
        """`source` is the variable's value."""
        self._file = Path(source[1:]) if source.startswith("@") else None
        self._fixed = None if self._file else Spec.parse(source)
        self._reached: Counter[Spec] = Counter()
        self._lock = threading.Lock()

    def __call__(self, name: str) -> None:
        with self._lock:
            spec = self._fixed or self._read()
            if spec is None or spec.name != name:
                return
            self._reached[spec] += 1
            if self._reached[spec] != spec.nth or not self._first():
                return
            self._reached[spec] = 0 if self._file else spec.nth
        act(spec.action, name)

    def _read(self) -> Spec | None:
        assert self._file
        try:
            return Spec.parse(self._file.read_text())
        except FileNotFoundError:
            return None

    def _first(self) -> bool:
        """Whether no other process was here before: one renames the file, and writes who it is."""
        if self._file is None:
            return True
        try:
            fired = self._file.rename(self._file.with_suffix(".fired"))
            fired.write_text(str(os.getpid()))
        except FileNotFoundError:
            return False
        return True


def act(action: str, name: str) -> None:
    """Does it to this very process, or raises what a lost connection raises."""
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif action == "exit":
        os._exit(EXIT_STATUS)
    else:
        lost = psycopg.OperationalError("server closed the connection unexpectedly")
        raise OperationalError(name, {}, lost, connection_invalidated=True)
