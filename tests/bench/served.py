"""A served desk with all that the bench needs of it, and a light client."""

import http.client
import json
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.bench.databases import opened
from tests.fixtures.desk import make_desk
from webapp.services import agents, settings, sign_in
from webapp.services.desk import Desk

_WHO, _PASSWORD = "ana@example.com", "a password for the bench"
_LONG = {"mode": "window", "window_seconds": "3600", "margin_seconds": "1"}


@dataclass(frozen=True, slots=True)
class Served:
    """Where it listens, who may call, and the same database from this process."""

    host: str
    port: int
    pid: int
    token: str
    cookie: str
    """Of somebody of the staff: `NAME=VALUE`."""
    desk: Desk


@contextmanager
def served(
    url: str, *, allow: str = "", worker: bool = True, policy: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """`undo-desk serve` until the block ends. Refunds wait an hour, webhooks as `policy` says."""
    with tempfile.TemporaryDirectory(prefix="undo-desk-bench-") as folder, opened(url) as desk:
        settings.change(desk, "refund", _LONG, "bench")
        if policy:
            settings.change(desk, "webhook", policy, "bench")
        token = agents.add(desk, "bench-agent", "draft,read,cancel")
        sign_in.add_person(desk, email=_WHO, name="Ana", role="staff", password=_PASSWORD)
        session = sign_in.sign_in(desk, email=_WHO, password=_PASSWORD, host="127.0.0.1")
        outside = make_desk(Path(folder) / "desk", url, WEBHOOK_ALLOW=allow)
        try:
            process = outside.serve(*([] if worker else ["--no-worker"]))
            address = urlsplit(outside.url)
            cookie = f"ud_session={session}"
            # gunicorn's one child serves
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            desk.db.wakeup.watch()
            yield Served(
                str(address.hostname), address.port or 80, int(children[0]), token, cookie, desk
            )
        finally:
            outside.close()


class Api:
    """JSON over kept connections, one a thread; costs a fraction of what `requests` does."""

    def __init__(self, where: Served) -> None:
        self._where = where
        self._local = threading.local()

    def post(self, path: str, body: object, key: str) -> tuple[int, Any]:
        """Status and JSON of a POST below /api/v1."""
        line: http.client.HTTPConnection | None = getattr(self._local, "line", None)
        if line is None:
            line = http.client.HTTPConnection(self._where.host, self._where.port, timeout=30)
            self._local.line = line
        headers = {
            "Authorization": f"Bearer {self._where.token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        line.request("POST", f"/api/v1{path}", json.dumps(body), headers)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())


def draft_body(kind: str, payload: object) -> dict[str, Any]:
    """What an agent sends."""
    return {
        "kind": kind,
        "summary": "Torn cover, photo attached",
        "reason": "the policy allows it",
        "payload": payload,
        "customer": {"ref": "c-17", "name": "Meera K.", "email": "meera@example.com"},
        "order": "B-1",
    }
