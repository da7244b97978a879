"""The desk that the API's tests talk to, and the people and programs who do."""

import itertools
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from webapp.app import create_app
from webapp.config import Settings
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.services import agents, settings, sign_in, stock
from webapp.services.desk import Desk
from webapp.store.engine import Database

API = "/api/v1"
PASSWORD = "correct horse battery"
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


@dataclass
class Agent:
    """A program with a token; `client` keeps no cookies."""

    name: str
    token: str
    client: FlaskClient

    def call(self, method: str, path: str, **kwargs: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}", **kwargs.pop("headers", {})}
        return self.client.open(API + path, method=method, headers=headers, **kwargs)

    def get(self, path: str, **kwargs: Any) -> TestResponse:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, body: object = None, key: str | None = None) -> TestResponse:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.call("POST", path, json={} if body is None else body, headers=headers)

    def draft(self, kind: str = "refund", key: str | None = None, **changes: Any) -> dict[str, Any]:
        """Drafts and answers with the action; fails the test unless it is a 201."""
        answer = self.post("/actions", draft(kind, **changes), key)
        assert answer.status_code == 201, answer.text
        return answer.json


@dataclass
class Person:
    """Somebody signed in, in a browser of their own."""

    email: str
    client: FlaskClient
    csrf: str

    def call(self, method: str, path: str, **kwargs: Any) -> TestResponse:
        headers = {"X-CSRFToken": self.csrf, **kwargs.pop("headers", {})}
        return self.client.open(API + path, method=method, headers=headers, **kwargs)

    def get(self, path: str, **kwargs: Any) -> TestResponse:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, body: object = None, key: str | None = None) -> TestResponse:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.call("POST", path, json={} if body is None else body, headers=headers)


class World:
    """One desk. `returns` and `shop` are agents, `ana` is staff, `ida` an admin."""

    def __init__(self, database: Database) -> None:
        self.db = database
        self.settings = Settings(secret_key="s" * 32, base_url="http://localhost")
        self.desk = Desk(database, self.settings)
        self.app: Flask = create_app(self.desk)
        self._names = itertools.count(1)
        for kind in DRAFTED:
            self.policy(kind, mode="window", window_seconds="600")
        stock.set_available(self.desk, "cup-blue", 3)
        self.returns = self.agent()
        self.shop = self.agent()
        self.ana = self.person("ana@example.com", "staff")
        self.ida = self.person("ida@example.com", "admin")

    def policy(self, kind: str, **values: str) -> None:
        assert kind in KINDS
        settings.change(self.desk, kind, values, "test")

    def agent(self, scopes: str = "draft,read,cancel,signal") -> Agent:
        name = f"agent-{next(self._names)}"
        return Agent(name, agents.add(self.desk, name, scopes), self.app.test_client(False))

    def person(self, email: str, role: str) -> Person:
        sign_in.add_person(self.desk, email=email, name=None, role=role, password=PASSWORD)
        token = sign_in.sign_in(self.desk, email=email, password=PASSWORD, host="127.0.0.1")
        client = self.app.test_client()
        client.set_cookie("ud_session", token)
        return Person(email, client, csrf_token(client))


def csrf_token(client: FlaskClient) -> str:
    """What a page's meta element would say."""
    page = client.get("/api/docs").text
    return page.partition('name="csrf-token" content="')[2].partition('"')[0]


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
