"""The desk that the API's tests talk to, and the people and programs who do."""

import json
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer

from webapp.app import create_app
from webapp.config import Settings
from webapp.domain.kinds.registry import DRAFTED
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import agents, settings, stock
from webapp.services.desk import Desk
from webapp.store import actions, claims, events, pauses, people, policies
from webapp.store import stock as stock_rows
from webapp.store.claims import Claim, Finish
from webapp.store.engine import Database, Tx

API = "/api/v1"
WORKER = "worker:test"
ADDRESS = {
    "name": "Asha Rao", "street1": "1 MG Road", "city": "Bengaluru", "zip": "560001",
    "country": "IN",
}  # fmt: skip
PAYLOADS: dict[str, dict[str, Any]] = {
    "refund": {
        "payment": "pay-1", "amount": {"value": 1250, "currency": "INR"}, "reason": "damaged",
    },
    "label": {
        "order": "o-1", "carrier": "post", "service": "parcel", "from": ADDRESS, "to": ADDRESS,
        "parcel": {"weight_g": 500},
    },
    "reply": {"to": "asha@example.com", "subject": "Your order", "body": "It is on its way."},
    "exchange": {"order": "o-1", "sku": "cup-blue", "quantity": 1},
    "webhook": {"url": "https://shop.example.com/hook", "body": {"a": 1},
                "undo": {"url": "https://shop.example.com/undo"}},
}  # fmt: skip


class Calls:
    """Whoever calls the API: `own` are the headers that say who it is."""

    client: Any

    @property
    def own(self) -> dict[str, str]:
        raise NotImplementedError

    def call(self, method: str, path: str, **kwargs: Any) -> Any:
        headers = self.own | kwargs.pop("headers", {})
        return self.client.open(API + path, method=method, headers=headers, **kwargs)

    def get(self, path: str, **kwargs: Any) -> Any:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, body: object = None, key: str | None = None) -> Any:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.call("POST", path, json={} if body is None else body, headers=headers)


@dataclass
class Agent(Calls):
    """A program with a token; `client` keeps no cookies."""

    name: str
    token: str
    client: Any

    @property
    def own(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def draft(self, kind: str = "refund", key: str | None = None, **changes: Any) -> dict[str, Any]:
        """Drafts and answers with the action; fails the test unless it is a 201."""
        answer = self.post("/actions", draft(kind, **changes), key)
        assert answer.status_code == 201, answer.text
        return dict(answer.get_json())


@dataclass
class Person(Calls):
    """Somebody signed in, in a browser of their own."""

    email: str
    client: Any
    csrf: str

    @property
    def own(self) -> dict[str, str]:
        return {"X-CSRFToken": self.csrf}


class World:
    """One desk. `returns` and `shop` are agents, `ana` is staff, `ida` an admin."""

    def __init__(self, database: Database) -> None:
        self.db = database
        self.settings = Settings(secret_key="s" * 32, base_url="http://localhost")
        self.desk = Desk(database, self.settings)
        self.app: Flask = create_app(self.desk)
        self.db.transact(self._on_a_window)
        stock.put(self.desk, "cup-blue", "3")
        self.returns = self.agent("returns")
        self.shop = self.agent("shop")
        self.ana = self.person("ana@example.com", "staff")
        self.ida = self.person("ida@example.com", "admin")

    @staticmethod
    def _on_a_window(tx: Tx) -> None:
        for kind in DRAFTED:
            policies.write(tx, kind, {"mode": "window", "window_seconds": 600}, "test")

    def policy(self, kind: str, **values: str) -> None:
        settings.change(self.desk, kind, values, "test")

    def agent(self, name: str, scopes: str = "draft,read,cancel,signal") -> Agent:
        return Agent(name, agents.add(self.desk, name, scopes), self.app.test_client(False))

    def person(self, email: str, role: str) -> Person:
        """Signed in without the form: no test here waits for a password's hash."""

        def sign_in(tx: Tx) -> str:
            people.add(tx, email=email, name=email[:3].title(), role=role, password_hash="none")
            found = people.by_email(tx, email)
            assert found
            return people.open_session(tx, found[0])

        client = self.app.test_client()
        client.set_cookie("ud_session", self.db.transact(sign_in))
        return Person(email, client, csrf_token(self.app, client, email))

    def claim(self, action_id: str) -> Claim:
        """What a worker does when the action is due: it is executing afterwards."""
        assert self.ana.post(f"/actions/{action_id}/run-now").status_code == 200
        taken = self.db.transact(lambda tx: claims.claim(tx, WORKER, 100, 60 * SECOND))
        return next(claim for claim in taken if claim.id == action_id)

    def run(self, action_id: str, state: State) -> None:
        """Claims, and finishes in `state`: executed, failed or unknown."""
        claim = self.claim(action_id)
        effect = json.dumps({"status": "settled", "provider_id": f"p-{action_id}", "detail": {}})
        error = json.dumps({"message": "no", "permanent": True, "may_have_happened": False})
        done = state is State.EXECUTED
        finish = Finish(
            claim.id, claim.attempt, state, effect if done else None, None if done else error
        )
        assert not self.db.transact(lambda tx: claims.finish(tx, WORKER, [finish]))

    def put(self, state: State, kind: str = "refund") -> dict[str, Any]:
        """A new action of `returns` in any state, as staff see it."""
        if state is State.AWAITING_APPROVAL:
            self.policy(kind, mode="approval")
        action_id = self.returns.draft(kind)["id"]
        self.policy(kind, mode="window")
        if state is State.REJECTED:
            found = self.put(State.AWAITING_APPROVAL, kind)
            action_id = found["id"]
            self.ana.post(f"/actions/{action_id}/rejection", {"reason": "no"})
        elif state is State.HELD:
            self.ana.post(f"/actions/{action_id}/hold")
        elif state is State.CANCELLED:
            self.ana.post(f"/actions/{action_id}/cancellation")
        elif state is State.EXECUTING:
            self.claim(action_id)
        elif state in (State.EXECUTED, State.FAILED, State.UNKNOWN):
            self.run(action_id, state)
        found = self.look(action_id)
        assert found["state"] == state
        return found

    def look(self, action_id: str) -> dict[str, Any]:
        """The action as staff read it now."""
        return dict(self.ana.get(f"/actions/{action_id}").get_json())

    def everything(self) -> list[tuple[Any, ...]]:
        """All that is written: actions with their versions, events, pauses, stock."""
        with self.db.read() as tx:
            return [
                *((one.id, one.version, one.state) for one in actions.newest(tx, limit=1_000)),
                *((event.id,) for event in events.after(tx, "0.0", 10_000)),
                *((one.id,) for one in pauses.standing(tx)),
                *((item.sku, item.available) for item in stock_rows.everything(tx)),
            ]


def csrf_token(app: Flask, client: FlaskClient, secret: str) -> str:
    """What the meta element of this browser's pages says, without asking for a page."""
    with client.session_transaction() as session:
        session["csrf_token"] = secret
    serializer = URLSafeTimedSerializer(str(app.secret_key), salt="wtf-csrf-token")
    return str(serializer.dumps(secret))


def draft(kind: str = "refund", **changes: Any) -> dict[str, Any]:
    """A body that is fine; `changes` replace or add fields."""
    return {
        "kind": kind,
        "summary": f"A {kind} for Asha",
        "payload": PAYLOADS[kind],
        "customer": {"ref": "c-17"},
        "order": "o-99",
        **changes,
    }
