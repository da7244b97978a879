"""A desk of two processes on one database, supervised, with providers that count."""

import contextlib
import os
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.crash.answers import Answers
from tests.crash.mail import Mails, mail_server
from tests.failpoints import CLOCK_VARIABLE, VARIABLE
from tests.fixtures.desk import Desk, Process, make_desk, wait_until
from tests.fixtures.postgres import PostgresServer
from tests.races.peers import RunningPeer, running_peer
from webapp.config import Settings
from webapp.services import agents, stock
from webapp.services import settings as policies
from webapp.services.desk import Desk as Services
from webapp.store.engine import Database

LEASE, SWEEP, DEADLINE = 2.0, 0.5, 1.0
SETTLED = LEASE + SWEEP + 30.0
"""Seconds until nothing may be open any more: the sweep, retries with their pauses, restarts of
processes on a busy machine."""
KINDS = ("refund", "label", "reply", "exchange", "webhook", "refund.reversal")
SKU, STOCK = "mug", 1_000_000
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Stage:
    """One desk under trial."""

    desk: Desk
    url: str
    services: Services
    peer: RunningPeer
    mails: Mails
    server: PostgresServer | None
    token: str
    answers: Answers = field(default_factory=Answers)
    followed: list[int] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    resting: threading.Event = field(default_factory=threading.Event)
    """While it is set, nobody starts again what died; gunicorn does for its own child."""
    _roles: dict[str, Process] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._supervisor = threading.Thread(target=self._supervise, name="supervisor")

    @property
    def failpoint(self) -> Path:
        """What is written here happens; then it is called `.fired`."""
        return self.desk.folder / "failpoint"

    @property
    def clock(self) -> Path:
        """By how much the processes' clock is wrong."""
        return self.desk.folder / "clock"

    @property
    def fired(self) -> Path:
        return self.failpoint.with_suffix(".fired")

    def arm(self, spec: str) -> None:
        """The next process that comes there."""
        self.fired.unlink(missing_ok=True)
        new = self.failpoint.with_suffix(".new")
        new.write_text(spec)
        new.rename(self.failpoint)

    def disarm(self) -> None:
        """What has not fired will not."""
        self.failpoint.unlink(missing_ok=True)

    def start(self) -> None:
        """Both processes, and somebody who starts them again."""
        self._roles["worker"] = self.desk.start("worker")
        self._roles["serve"] = self.desk.serve()
        self._supervisor.start()
        try:
            self.wait(lambda: self._workers() >= len(self._roles))
        except AssertionError as error:
            said = [one.log.read_text()[-2_000:] for one in self.desk.processes]
            raise AssertionError("\n".join([str(error), *said])) from None

    def _workers(self) -> int:
        with self.services.db.connection() as conn:
            return int(conn.exec_driver_sql("SELECT count(*) FROM heartbeat").scalar() or 0)

    def _supervise(self) -> None:
        while not self.over.wait(0.1):
            if self.resting.is_set():
                continue
            with self._turn:
                for role, process in list(self._roles.items()):
                    if process.popen.poll() is not None and not self.over.is_set():
                        process.kill()
                        self._start(role)

    def _start(self, role: str) -> None:
        port = self.desk.url.rpartition(":")[2]
        arguments = ("serve", "--port", port) if role == "serve" else ("worker",)
        self._roles[role] = self.desk.start(*arguments)

    def start_again(self, role: str, under: Sequence[str]) -> None:
        """Kills a process and starts it under `under`; what starts it after that does not."""
        with self._turn:
            self._roles[role].kill()
            self.desk.under = under
            self._start(role)
            self.desk.under = ()

    def stop(self) -> None:
        """Ends the desk, again or not; a process that does not end by itself is a fault."""
        self.over.set()
        if self._supervisor.is_alive():
            self._supervisor.join()
        self.disarm()
        for process in self.desk.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                process.popen.terminate()
        self.desk.close()

    def victims(self) -> dict[str, int]:
        """Who may be killed: the server, its child that works, and the worker."""
        found = {role: process.pid for role, process in self._roles.items()}
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(found["serve"]).children()
            if children:
                found["served"] = children[0].pid
        return found

    def effects(self) -> dict[str, Counter[str]]:
        """How often each key had its effect, by who counted."""
        return {
            "sandbox": Counter(self._sandboxed()),
            "webhook": self.peer.counts(),
            "smtp": self.mails.counts(),
        }

    def _sandboxed(self) -> list[str]:
        file = self.desk.folder / "instance" / "sandbox.db"
        if not file.exists():  # made with the first effect
            return []
        with contextlib.closing(sqlite3.connect(file, timeout=30)) as ledger:
            return [key for (key,) in ledger.execute("SELECT key FROM effects")]

    def wait(self, what: Callable[[], object], seconds: float = SETTLED) -> None:
        """Until it is true."""
        wait_until(what, seconds=seconds, every=0.05)


@contextmanager
def staged(
    folder: Path, database_url: str, server: PostgresServer | None = None
) -> Iterator[Stage]:
    """A desk that runs in `folder`, until the block ends. `server`: PostgreSQL's, to be hurt."""
    with running_peer() as peer, mail_server() as (mails, mail_url):
        desk = make_desk(folder, database_url, **_settings(peer.address, mail_url))
        own = {
            "PYTHONPATH": str(ROOT),
            VARIABLE: f"@{folder / 'failpoint'}",
            CLOCK_VARIABLE: str(folder / "clock"),
        }
        desk.environ, desk.program = {**desk.environ, **own}, "tests.failpoints"
        services = Services(Database(database_url), Settings(database_url=database_url))
        try:
            token = _furnish(services)
            found = Stage(desk, database_url, services, peer, mails, server, token)
            try:
                found.start()
                yield found
            finally:
                found.stop()
        finally:
            services.db.close()


def _settings(peer: str, mail_url: str) -> dict[str, str]:
    return {
        "LEASE_SECONDS": str(LEASE),
        "SWEEP_SECONDS": str(SWEEP),
        "CONNECTOR_DEADLINE_SECONDS": str(DEADLINE),
        "WEBHOOK_ALLOW": peer,
        "REPLY_CONNECTOR": "smtp",
        "SMTP_URL": mail_url,
        "MAIL_FROM": "desk@example.com",
        "SECRET_KEY": "k" * 32,
    }


def _furnish(services: Services) -> str:
    """Policies with windows of a second, stock, staff; the agent's token."""
    rules = {"mode": "window", "window_seconds": "1", "margin_seconds": "0", "max_attempts": "20"}
    # A clock set a day forth makes rows overdue; that they are held then is tested elsewhere.
    rules["max_overdue_seconds"] = "604800"
    for kind in KINDS:
        more = {"allow_no_undo": "yes"} if kind == "webhook" else {}
        policies.change(services, kind, rules | more, "crash")
    stock.put(services, SKU, str(STOCK))
    return agents.add(services, "crash", "draft,read,cancel,signal")
