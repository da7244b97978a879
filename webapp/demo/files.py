"""The demo's own files in the instance folder: its agent's token, what it remembers, a lock."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

_TOKEN, _MEMORY, _LOCK = "demo-agent.token", "demo.json", "demo.lock"
_SUFFIXES = ("", "-wal", "-shm", "-journal")


class Running(Exception):
    """A demo runs in this folder already."""


class Folder:
    """An instance folder, made where there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock: int | None = None

    def lock(self) -> None:
        """Keep other demos out while this process and its children live. Raises Running."""
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Running(f"A demo runs in {self.path.absolute()} already") from None

    @property
    def token_file(self) -> Path:
        return self.path / _TOKEN

    def token(self) -> str | None:
        """The agent's token of last time."""
        try:
            return self.token_file.read_text().strip() or None
        except FileNotFoundError:
            return None

    def keep_token(self, token: str) -> None:
        """Mode 0600."""
        self._write(self.token_file, f"{token}\n")

    def memory(self) -> dict[str, Any]:
        """What `remember` was told; empty where that can't be read."""
        try:
            found = json.loads((self.path / _MEMORY).read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def remember(self, memory: dict[str, Any]) -> None:
        """For the next run."""
        self._write(self.path / _MEMORY, json.dumps(memory))

    def empty(self, *databases: Path) -> None:
        """Remove the demo's files and `databases`, with what SQLite puts beside them.

        Nothing else is touched.
        """
        for database in databases:
            for suffix in _SUFFIXES:
                database.with_name(database.name + suffix).unlink(missing_ok=True)
        for name in (_TOKEN, _MEMORY):
            (self.path / name).unlink(missing_ok=True)

    def _write(self, file: Path, text: str) -> None:
        draft = file.with_name(f".{file.name}.new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(text)
        draft.replace(file)
