"""A desk with nothing but the feed's socket, run as a process of its own by the socket's tests.

`python -m tests.web.socket_desk PORT [key=value …]`: the keys of `Pace`, `capacity`, `effect`
(seconds that an effect in flight still takes when the process is told to end), `base_url`.
Who asks is who its cookie says: `who=NAME:ROLE:SESSION`.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import Flask, Request, Response, jsonify, request

from webapp.config import Settings
from webapp.serve import STOPPING, DeskWorker, serve
from webapp.web.socket import Broadcaster, Change, Pace, StaleCursor, Viewer, init_socket

START = 1_000


class Feed:
    """Changes 1001, 1002, … in memory; a cursor is the number of the last change seen."""

    def __init__(self) -> None:
        self.head = START
        self.broken = False
        self.oldest = 0
        self.padding = ""
        self.asked = 0

    def latest(self) -> str:
        self._look()
        return str(self.head)

    def since(self, cursor: str, limit: int) -> Sequence[Change]:
        self._look()
        if not cursor.isdecimal() or not self.oldest <= int(cursor) <= self.head:
            raise StaleCursor(cursor)
        first = int(cursor) + 1
        return [self._change(n) for n in range(first, min(self.head, first + limit - 1) + 1)]

    def _look(self) -> None:
        self.asked += 1
        if self.broken:
            raise OSError("the database is away")

    def _change(self, number: int) -> Change:
        row = '{{"type":"row","cursor":"{}","id":"a","for":"{}","html":"{}"}}'
        roles = ("staff", "admin")
        frames = {role: row.format(number, role, self.padding) for role in roles}
        return Change(str(number), "a", frames)


class Effect:
    """An action worker with one effect in flight."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def stop(self) -> None:
        pass

    def join(self, timeout: float) -> bool:
        time.sleep(min(timeout, self._seconds))
        if self._seconds:
            sys.stderr.write("effect ended\n")
        return self._seconds <= timeout


def identify(asked: Request) -> Viewer | None:
    name, _, rest = asked.cookies.get("who", "").partition(":")
    role, _, session = rest.partition(":")
    return Viewer(session_id=session, role=role, name=name) if name else None


def make_app(options: dict[str, str]) -> Flask:
    app = Flask(__name__)
    feed = Feed()
    pace: Any = Pace()
    for key, value in options.items():
        if hasattr(pace, key):
            pace = replace(pace, **{key: float(value)})
    over: set[str] = set()
    desk = Broadcaster(
        feed,
        now=lambda: "2026-11-30T09:41:25.114Z",
        sessions_ended=over.intersection,
        capacity=int(options.get("capacity", 4_000)),
        pace=pace,
    )
    init_socket(app, desk, identify, base_url=options.get("base_url"))
    add_feed_routes(app, feed, desk)
    add_process_routes(app, feed, desk)

    @app.post("/end-elsewhere/<session>")
    def end_elsewhere(session: str) -> str:
        over.add(session)
        return ""

    return app


def add_feed_routes(app: Flask, feed: Feed, desk: Broadcaster) -> None:
    @app.post("/push")
    def push() -> str:
        """Adds `n` changes; `quietly` without waking anybody."""
        feed.padding = "x" * int(request.args.get("size", len(feed.padding)))
        feed.head += int(request.args.get("n", 1))
        if "quietly" not in request.args:
            desk.wake()
        return str(feed.head)

    @app.post("/feed")
    def set_feed() -> str:
        """Breaks and mends the feed, or forgets its past."""
        feed.broken = request.args.get("broken", "no") == "yes"
        feed.oldest = int(request.args.get("oldest", feed.oldest))
        desk.wake()
        return ""

    @app.post("/publish")
    def publish() -> str:
        desk.publish(request.get_json(), request.args.get("cursor"))
        return ""

    @app.post("/logout/<session>")
    def logout(session: str) -> str:
        desk.drop(session)
        return ""


def add_process_routes(app: Flask, feed: Feed, desk: Broadcaster) -> None:
    @app.get("/stats")
    def stats() -> Response:
        usage = os.times()
        workers = [found for found in gc.get_objects() if isinstance(found, DeskWorker)]
        with open("/proc/self/statm") as statm:  # noqa: PTH123
            resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return jsonify(
            screens=desk.count,
            connections=[worker.nr_conns for worker in workers],
            threads=threading.active_count(),
            files=len(os.listdir("/proc/self/fd")),  # noqa: PTH208
            pid=os.getpid(),
            asked=feed.asked,
            resident=resident,
            cpu=usage.user + usage.system,
        )

    @app.get("/wait")
    def wait() -> str:
        """A long poll."""
        app.extensions[STOPPING].wait(30)
        return "stopping"

    @app.get("/hang")
    def hang() -> str:
        time.sleep(30)
        return ""


def main() -> None:
    port = int(sys.argv[1])
    options = dict(argument.split("=", 1) for argument in sys.argv[2:])
    effect = float(options.get("effect", -1))
    serve(
        lambda: make_app(options),
        Settings(),
        host="127.0.0.1",
        port=port,
        threads=int(options.get("threads", 8)),
        start_worker=(lambda _app: Effect(effect)) if effect >= 0 else None,
    )


if __name__ == "__main__":
    main()
