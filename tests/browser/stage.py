"""What the browser tests play on."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import requests
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute

from tests.fixtures.desk import Desk, wait_until
from webapp.config import Settings
from webapp.services import agents, clock, pause, settings, sign_in
from webapp.services.caller import Caller
from webapp.services.desk import Desk as Services
from webapp.store.engine import Database

PASSWORD = "a password for tests"
PEOPLE = {"ana": "staff", "bo": "staff", "cleo": "staff", "ida": "admin"}
PAYLOADS: dict[str, dict[str, Any]] = {
    "refund": {
        "payment": "pi_1",
        "amount": {"value": 425_000, "currency": "INR"},
        "reason": "torn",
    },
    "reply": {"to": "meera@example.com", "subject": "Your order", "body": "It left today."},
    "label": {
        "order": "B-1",
        "carrier": "USPS",
        "service": "Ground",
        "from": {"name": "M", "street1": "1 Road", "city": "Pune", "zip": "1", "country": "IN"},
        "to": {"name": "U", "street1": "2 Road", "city": "Mumbai", "zip": "2", "country": "IN"},
        "parcel": {"weight_g": 500},
    },
}


@dataclass
class Stage:
    """A desk that serves, with a worker, an agent's token and people who may sign in."""

    desk: Desk
    services: Services
    """The same database from this process, for what the tests set up."""
    token: str
    sessions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, desk: Desk) -> "Stage":
        store = Database(desk.environ["UNDO_DESK_DATABASE_URL"])
        services = Services(store, Settings())
        for name, role in PEOPLE.items():
            sign_in.add_person(
                services,
                email=f"{name}@example.com",
                name=name.title(),
                role=role,
                password=PASSWORD,
            )
        stage = cls(desk, services, agents.add(services, "returns-agent", "draft,read,cancel"))
        for kind in PAYLOADS:
            stage.policy(kind, mode="window", window_seconds=600)
        desk.serve()
        return stage

    def close(self) -> None:
        """Ends what runs."""
        self.services.db.close()
        self.desk.close()

    @property
    def url(self) -> str:
        return self.desk.url

    def policy(self, kind: str, **values: object) -> None:
        """The policy of later drafts."""
        settings.change(self.services, kind, {k: str(v) for k, v in values.items()}, "test")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is claimed meanwhile."""
        asked = Caller.command()
        pause.pause(self.services, asked, reason="a test looks")
        try:
            yield
        finally:
            pause.resume(self.services, asked)

    def draft(self, kind: str = "refund", **changes: object) -> str:
        """The id of a new action."""
        body = {
            "kind": kind,
            "summary": "Torn cover",
            "payload": PAYLOADS[kind],
            "customer": {"ref": "c-1", "name": "Meera K."},
            "order": "B-1",
            **changes,
        }
        return str(self._api("POST", "/actions", body)["id"])

    def look(self, action_id: str) -> dict[str, Any]:
        """The action as the API shows it."""
        return self._api("GET", f"/actions/{action_id}")

    def until(self, action_id: str, state: str) -> dict[str, Any]:
        """Waits for a state."""
        wait_until(lambda: self.look(action_id)["state"] == state, seconds=30, every=0.05)
        return self.look(action_id)

    def cancel(self, action_id: str) -> None:
        """By the agent."""
        self._api("POST", f"/actions/{action_id}/cancellation", {})

    def extend(self, action_id: str) -> None:
        """60 s more, by the command line."""
        clock.extend(self.services, action_id, Caller.command(), seconds=60)

    @staticmethod
    def later(seconds: int) -> str:
        """A time for `not_before`."""
        at = datetime.now(UTC) + timedelta(seconds=seconds)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @staticmethod
    def wait(what: Callable[[], object]) -> None:
        """Until it is true."""
        wait_until(what, seconds=30, every=0.05)

    def cookie(self, who: str) -> str:
        """A session of this person, by the form."""
        if who not in self.sessions:
            client = requests.Session()
            form = client.get(f"{self.url}/login").text
            found = re.search(r'name="csrf_token" value="([^"]+)"', form)
            assert found
            fields = {"email": f"{who}@example.com", "password": PASSWORD, "csrf_token": found[1]}
            answer = client.post(f"{self.url}/login", fields, allow_redirects=False)
            assert answer.status_code == 303, answer.text
            self.sessions[who] = client.cookies["ud_session"]
        return self.sessions[who]

    def _api(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        answer = requests.request(
            method,
            f"{self.url}/api/v1{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=10,
        )
        assert answer.ok, answer.text
        return dict(answer.json())


@dataclass
class Screen:
    """One person's browser."""

    page: Page
    stage: Stage
    complaints: list[str]
    """Errors of the console and of scripts."""

    @classmethod
    def open(cls, stage: Stage, browser: Browser, who: str, options: Any) -> "Screen":
        context = browser.new_context(**options)
        context.set_default_timeout(20_000)
        cookie: Any = {"name": "ud_session", "value": stage.cookie(who), "url": stage.url}
        context.add_cookies([cookie])
        page = context.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if said.type == "error" else None,
        )
        return cls(page, stage, complaints)

    def row(self, action_id: str) -> Locator:
        """An action's row."""
        return self.page.locator(f'li[data-action="{action_id}"]')

    def button(self, action_id: str, verb: str) -> Locator:
        return self.row(action_id).locator(f'button[data-do="{verb}"]')

    def live(self) -> None:
        """Waits for the socket."""
        self.page.locator('[data-line="live"]').wait_for()


class Held:
    """A socket whose frames can be held back, as on a slow line."""

    def __init__(self) -> None:
        self.holding = False
        self.kept: list[str | bytes] = []
        self.routes: list[WebSocketRoute] = []

    def prepare(self, page: Page) -> None:
        page.route_web_socket(re.compile("/feed/socket"), self._route)

    def _route(self, socket: WebSocketRoute) -> None:
        self.routes.append(socket)
        server = socket.connect_to_server()

        def pass_on(frame: str | bytes) -> None:
            if self.holding:
                self.kept.append(frame)
            else:
                socket.send(frame)

        server.on_message(pass_on)

    def let_go(self) -> None:
        """What was held back arrives, in order."""
        self.holding = False
        for frame in self.kept:
            self.routes[-1].send(frame)
        self.kept.clear()
