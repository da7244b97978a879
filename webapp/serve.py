"""Serves the web application with gunicorn, and the action worker beside it in the same process.

One worker process with threads by default. Screens hold no thread and no place among gunicorn's
connections (`web/socket/handover.py`), so that a request always finds one.
"""

import contextlib
import logging
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from types import FrameType
from typing import Any, Protocol

from flask import Flask
from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.workers.gthread import TConn, ThreadWorker

from webapp.config import Settings
from webapp.web.socket import EXTENSION as BROADCASTER

THREADS = 32
"""Requests at the same time; long polls hold one each."""
STOPPING = "undo-desk-stopping"
"""`app.extensions[STOPPING]` is a `threading.Event`, set on SIGTERM: long polls then answer."""

_BACKLOG = 2048
_CONNECTIONS = 2_000
"""Kept-alive and waiting HTTP connections; screens are not among them."""
_FILES = 16_384
_REQUEST_GRACE = 2
"""Seconds that requests may still take after SIGTERM; effects have their own, longer time."""
_EFFECT_MARGIN = 5.0
"""On top of the connector deadline: what the worker needs to write down how an effect ended."""
_LINGER = 0.5
_FIRST_BYTE = 30
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)

_log = logging.getLogger(__name__)


class Service(Protocol):
    """What runs beside the requests: the action worker."""

    def stop(self) -> None:
        """Begins nothing new from now on. Returns at once; may be called again."""
        ...

    def join(self, timeout: float) -> bool:
        """Waits for what has begun. False: it still runs after `timeout` seconds."""
        ...


def serve(
    app_factory: Callable[[], Flask],
    settings: Settings,
    *,
    host: str,
    port: int,
    processes: int = 1,
    threads: int = THREADS,
    start_worker: Callable[[Flask], Service] | None = None,
) -> None:
    """Serves until SIGTERM or SIGINT, then ends the process by SystemExit.

    `app_factory` and `start_worker` are called in each worker process, after the fork: before
    it there must be no thread and no open database connection. Exit status 1, with one line on
    standard error, where the address can't be had.
    """
    _raise_file_limit()
    drain = settings.connector_deadline_seconds + _EFFECT_MARGIN
    listener = _listen(host, port)
    _Server(listener, app_factory, start_worker, processes, threads, drain).run()


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(
        self,
        listener: socket.socket,
        app_factory: Callable[[], Flask],
        start_worker: Callable[[Flask], Service] | None,
        processes: int,
        threads: int,
        drain: float,
    ) -> None:
        self._app_factory = app_factory
        self._beside = _Beside(start_worker, drain)
        self._options: dict[str, Any] = {
            "bind": [f"fd://{listener.detach()}"],
            "backlog": _BACKLOG,
            "workers": processes,
            "worker_class": DeskWorker,
            "threads": threads,
            "worker_connections": _CONNECTIONS,
            "keepalive": 15,
            "graceful_timeout": round(drain + _REQUEST_GRACE + 2),
            # a proxy on this host may say that the browser came by https; nobody may say more
            "forwarded_allow_ips": "127.0.0.1,::1",
            "forwarder_headers": "",
            "accesslog": None,
            "errorlog": "-",
            "loglevel": "warning",
            "control_socket_disable": True,
            "dirty_workers": 0,
            "preload_app": False,
            "post_worker_init": self._beside.start,
            "worker_exit": self._beside.finish,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        app = self._app_factory()
        app.extensions.setdefault(STOPPING, threading.Event())
        return app


class DeskWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """gthread that never waits for a client in its accept loop.

    gunicorn 27 closes a connection there, and lingers up to 2 s for a client that does not close
    its side. Here the request's own thread does it, for a shorter time; what is left to the
    accept loop is to count it off. Rests on `handle`, `finish_request` and `nr_conns` of
    27.0 (`tests/web/test_socket_serve.py` fails when they change).
    """

    def handle(self, conn: TConn) -> object:
        again = super().handle(conn)
        if again is False:
            with contextlib.suppress(OSError):
                conn.sock.setblocking(True)
                util.close_graceful(conn.sock, timeout=_LINGER)
        return again

    def finish_request(self, conn: TConn, fs: "Future[object]") -> None:
        if conn.sock.fileno() == -1:
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)


class _Beside:
    """Starts and ends, in a worker process, what is not a request."""

    def __init__(self, start_worker: Callable[[Flask], Service] | None, drain: float) -> None:
        self._start_worker = start_worker
        self._drain = drain
        self._app: Flask | None = None
        self._service: Service | None = None

    def start(self, worker: ThreadWorker) -> None:
        """After the fork, with the application loaded and gunicorn's signal handlers in place."""
        # requests end sooner than effects; the parent keeps the longer time for its SIGKILL
        worker.cfg.set("graceful_timeout", _REQUEST_GRACE)
        self._app = worker.app.wsgi()
        broadcaster = self._app.extensions.get(BROADCASTER)
        if broadcaster is not None:
            broadcaster.start()
        if self._start_worker is not None:
            self._service = self._start_worker(self._app)
        for signum in _ENDING:
            self._announce(signum)

    def _announce(self, signum: signal.Signals) -> None:
        """Claims stop with the signal, not only when gunicorn's loop has ended."""
        gunicorns = signal.getsignal(signum)
        assert callable(gunicorns)  # noqa: S101 - set by gunicorn just before

        def handler(number: int, frame: FrameType | None) -> None:
            if number != signal.SIGTERM:
                _ignore_signals()
            # a thread: what this interrupts may hold the very locks that stopping takes
            threading.Thread(target=self._begin_stop, name="stopping").start()
            gunicorns(number, frame)

        signal.signal(signum, handler)

    def _begin_stop(self) -> None:
        app = self._app
        assert app is not None  # noqa: S101 - set before the handlers are
        if self._service is not None:
            self._service.stop()
        app.extensions[STOPPING].set()
        broadcaster = app.extensions.get(BROADCASTER)
        if broadcaster is not None:
            broadcaster.stop()

    def finish(self, _arbiter: object, _worker: ThreadWorker) -> None:
        """Requests are over: waits for the effects in flight, and for nothing else."""
        if self._app is None:
            return
        _ignore_signals()
        self._begin_stop()
        if self._service is not None and not self._service.join(self._drain):
            _log.error("An effect outlived its deadline; the next sweep finds out how it ended")
        _leave_stragglers()


def _ignore_signals() -> None:
    """A second one must not interrupt the way out, on which effects are waited for."""
    for signum in _ENDING:
        signal.signal(signum, signal.SIG_IGN)


def _leave_stragglers() -> None:
    """A thread that still runs now would hold up the interpreter's own end without limit."""
    until = monotonic() + 0.5
    others = [
        thread
        for thread in threading.enumerate()
        if thread is not threading.current_thread() and not thread.daemon
    ]
    for thread in others:
        thread.join(max(0.0, until - monotonic()))
    left = [thread.name for thread in others if thread.is_alive()]
    if left:
        _log.warning("Ends without waiting for %s", ", ".join(left))
        logging.shutdown()
        sys.stderr.flush()
        os._exit(0)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # create_server says what it tried behind the reason, and a name that is none has no errno
        reason = str(error.strerror or error).partition(" (while ")[0]
        sys.exit(f"Error: can't listen on {host}:{port}: {reason}")
    # a connection that says nothing would hold a thread for 5 s
    with contextlib.suppress(AttributeError, OSError):  # Linux has it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, _FIRST_BYTE)
    return listener


def _raise_file_limit() -> None:
    """A screen is an open file: the usual soft limit of 1,024 would end at about 700."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
