"""Where the time of a draft, of one over HTTP and of a cancel goes, by the part that spends it.

Wall time under Python's own profiler, which makes Python look slower than it is by about a half;
waits for the database are as they are. Over HTTP is the WSGI application alone: what gunicorn and
the client take comes on top.
"""

import cProfile
import io
import json
import pstats
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from werkzeug.test import run_wsgi_app

from tests.bench.databases import fresh, opened
from tests.bench.plant import refund
from tests.bench.served import draft_body
from tests.bench.tally import Line, show
from webapp.app import create_app
from webapp.services import agents
from webapp.services.caller import Caller
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.agents import Agent

NUMBER = 2_000
_WARM = 200
_AGENT = Agent("bench", frozenset(("draft", "cancel")))
_ANA = Caller("staff:ana@example.com", "Ana", None, 1)
_PARTS = (
    ("commit", ("'commit'",)),
    ("the database's statements", ("'execute'", "psycopg")),
    ("SQLAlchemy", ("sqlalchemy",)),
    ("Flask and Werkzeug", ("flask", "werkzeug", "itsdangerous", "blinker")),
    ("validation (pydantic)", ("pydantic",)),
    ("JSON and hashes", ("json", "hashlib")),
    ("web/", ("webapp/web",)),
    ("services/", ("webapp/services",)),
    ("domain/", ("webapp/domain",)),
    ("store/", ("webapp/store",)),
    ("other Python", ("",)),
)
"""Each function counts for the first part of which a word stands in its file or name."""


def measure(backend: str, _seconds: int) -> None:
    """One table a verb."""
    with fresh(backend) as url, opened(url, mode="window", window_seconds="3600") as desk:
        made: list[str] = []
        numbers = count()

        def one_draft() -> None:
            number = next(numbers)
            body = draft_body("refund", refund(number))
            made.append(draft(desk, _AGENT, body, f"profile-{number}").action.id)

        _show(f"a draft, {backend}", _profiled(one_draft))
        _show(f"a draft over HTTP, {backend}", _profiled(_over_http(desk, numbers)))
        _show(f"a cancel, {backend}", _profiled(lambda: _cancel(desk, made.pop())))


def _over_http(desk: Desk, numbers: Iterator[int]) -> Callable[[], None]:
    token = agents.add(desk, "bench-agent", "draft")
    app = create_app(Desk(desk.db, desk.settings.model_copy(update={"secret_key": "k" * 32})))
    head = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/v1/actions",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "CONTENT_TYPE": "application/json",
        "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr,
    }

    def one_draft() -> None:
        number = next(numbers)
        body = json.dumps(draft_body("refund", refund(number))).encode()
        own = {
            "HTTP_IDEMPOTENCY_KEY": f"profile-{number}",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        _, status, _ = run_wsgi_app(app.wsgi_app, {**head, **own})
        if status != "201 CREATED":
            raise RuntimeError(f"a draft of the bench was answered {status}")

    return one_draft


def _cancel(desk: Desk, action: str) -> None:
    cancel(desk, action, _ANA, reason="wrong amount")


def _profiled(work: Callable[[], None]) -> Mapping[str, float]:
    """Milliseconds of one call, by part."""
    for _ in range(_WARM):
        work()
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(NUMBER - _WARM):
        work()
    profile.disable()
    spent = dict.fromkeys((part for part, _ in _PARTS), 0.0)
    stats: Any = pstats.Stats(profile)
    for (file, _, name), (_, _, own, _, _) in stats.stats.items():
        where = f"{file} {name}"
        part = next(part for part, words in _PARTS if any(word in where for word in words))
        spent[part] += own * 1_000 / (NUMBER - _WARM)
    return spent


def _show(title: str, spent: Mapping[str, float]) -> None:
    whole = sum(spent.values())
    lines = [
        Line(part, f"{took:.3f}", "", took / whole)
        for part, took in sorted(spent.items(), key=lambda one: -one[1])
    ]
    show(f"{title}: ms of {whole:.2f} under the profiler", lines)
