"""A mail server that counts: effects of `smtp`, outside the desk's processes."""

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller

from tests.fixtures.desk import free_port

_KEY = re.compile(r"^Message-ID: <([^@>]+)@", re.IGNORECASE | re.MULTILINE)


class Mails:
    """How often each key's mail was taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        found = _KEY.search(envelope.content.decode("utf-8", "replace"))
        with self._lock:
            self._counts[found[1] if found else ""] += 1
        return "250 taken"

    def counts(self) -> Counter[str]:
        """By idempotency key."""
        with self._lock:
            return Counter(self._counts)


@contextmanager
def mail_server() -> Iterator[tuple[Mails, str]]:
    """The counter and the server's URL, until the block ends."""
    mails = Mails()
    server = Controller(mails, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        yield mails, f"smtp://127.0.0.1:{server.port}"
    finally:
        server.stop()
