"""Drafting: what is answered, what the key promises, what is refused."""

import threading
from typing import Any

import pytest

from tests.api.world import PAYLOADS, World, draft
from webapp.domain.drafts import Draft
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State

CONTRACT_KEYS = [
    "id",
    "kind",
    "state",
    "summary",
    "reason",
    "payload",
    "amount",
    "customer",
    "order",
    "agent",
    "drafted_at",
    "execute_at",
    "cancel_by",
    "window_seconds",
    "decision",
    "version",
    "attempt",
    "claimed_at",
    "finished_at",
    "cancelled_by",
    "cancelled_at",
    "cancel_reason",
    "effect",
    "error",
    "depends_on",
    "compensates",
    "compensated_by",
    "again_of",
    "first_viewed_at",
    "idempotency_key",
    "status_url",
    "cancel_also_stops",
    "pruned_at",
]


@pytest.mark.parametrize("kind", PAYLOADS)
def test_every_kind_is_drafted_and_read_again(still: World, kind: str) -> None:
    made = still.returns.draft(kind, customer={"ref": "c-17", "locale": "hi-IN"})
    assert list(made) == CONTRACT_KEYS
    assert made["state"] == "scheduled"
    assert made["window_seconds"] == 600
    assert made["payload"].items() >= PAYLOADS[kind].items()
    assert made["customer"] == {"ref": "c-17", "locale": "hi-IN"}
    assert made["agent"] == "returns"
    assert made["idempotency_key"] == f"act_{made['id']}"
    assert made["status_url"].startswith("http://localhost/s/")
    assert still.returns.get(f"/actions/{made['id']}").json == made
    assert still.look(made["id"]) == made


def test_an_amount_is_named_or_null(world: World) -> None:
    assert world.returns.draft("refund")["amount"] == {"value": 1250, "currency": "INR"}
    assert world.returns.draft("reply")["amount"] is None


def test_the_same_key_and_body_answer_as_the_first_did(world: World) -> None:
    first = world.returns.post("/actions", draft(), key="k-1")
    again = world.returns.post("/actions", draft(), key="k-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json == again.json


def test_the_same_key_with_another_body_is_refused(world: World) -> None:
    world.returns.draft(key="k-1")
    answer = world.returns.post("/actions", draft(summary="Another"), key="k-1")
    assert (answer.status_code, answer.json["code"]) == (422, "key_reused")


def test_a_key_belongs_to_one_agent(world: World) -> None:
    mine = world.returns.draft(key="k-1")
    assert world.shop.draft(key="k-1")["id"] != mine["id"]


def test_only_a_201_is_remembered(world: World) -> None:
    assert world.returns.post("/actions", draft(payload={}), key="k-1").status_code == 400
    assert world.returns.post("/actions", draft(), key="k-1").status_code == 201


def test_drafts_with_one_key_at_the_same_moment_make_one_row(world: World) -> None:
    answers: list[tuple[int, str]] = []
    gate = threading.Barrier(8)

    def send() -> None:
        client = world.app.test_client(False)
        gate.wait()
        answer: Any = client.post(
            "/api/v1/actions",
            json=draft(),
            headers={"Authorization": f"Bearer {world.returns.token}", "Idempotency-Key": "k"},
        )
        answers.append((answer.status_code, answer.json["id"]))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(status for status, _ in answers) == [200] * 7 + [201]
    assert len({found for _, found in answers}) == 1
    assert len(world.returns.get("/actions").json["items"]) == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "x" * 256, "tab\t"])
def test_a_bad_key_is_refused(still: World, key: str) -> None:
    answer = still.returns.post("/actions", draft(), key=key)
    if key.strip() in ("", "tab"):  # what a proxy or server strips is judged as it arrives
        assert answer.status_code in (201, 400)
        return
    assert answer.status_code == 400
    assert answer.json["errors"][0]["pointer"] == "/Idempotency-Key"


def test_a_long_key_is_fine(world: World) -> None:
    assert world.returns.draft(key="~" * 255)


def test_a_kind_that_is_off_is_forbidden(world: World) -> None:
    world.policy("label", mode="off")
    answer = world.returns.post("/actions", draft("label"))
    assert (answer.status_code, answer.json["code"]) == (403, "kind_off")


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.repairs])
def test_a_way_back_is_not_for_agents(still: World, kind: str) -> None:
    answer = still.returns.post("/actions", draft() | {"kind": kind})
    assert answer.status_code == 400
    assert answer.json["errors"][0]["pointer"] == "/kind"


def test_what_is_sold_out_is_refused_and_nothing_written(world: World) -> None:
    many = {"order": "o-1", "sku": "cup-blue", "quantity": 4}
    before = world.everything()
    for payload in (many, many | {"sku": "no-such"}):
        answer = world.returns.post("/actions", draft("exchange", payload=payload))
        assert (answer.status_code, answer.json["code"]) == (409, "out_of_stock")
    assert world.everything() == before


def test_what_it_depends_on_must_be_its_own_and_alive(world: World) -> None:
    parent = world.returns.draft()
    child = world.returns.draft(depends_on=[parent["id"]])
    assert child["depends_on"] == [parent["id"]]
    theirs = world.shop.post("/actions", draft(depends_on=[parent["id"]]))
    assert (theirs.status_code, theirs.json["code"]) == (404, "not_found")
    unknown = world.returns.post("/actions", draft(depends_on=["nonsense"]))
    assert unknown.status_code == 404
    dead = world.put(State.CANCELLED)
    late = world.returns.post("/actions", draft(depends_on=[dead["id"]]))
    assert (late.status_code, late.json["code"]) == (409, "dependency_not_live")


def test_not_before_only_makes_it_later(world: World) -> None:
    late = world.returns.draft(not_before="2099-01-01T00:00:00Z")
    assert late["execute_at"] == "2099-01-01T00:00:00.000Z"
    early = world.returns.draft(not_before="2001-01-01T00:00:00Z")
    assert early["execute_at"] > early["drafted_at"]


def refund(**amount: Any) -> dict[str, Any]:
    """A refund's payload with another amount."""
    return PAYLOADS["refund"] | {"amount": {"value": 1, "currency": "INR"} | amount}


BAD_DRAFTS: list[tuple[str, dict[str, Any]]] = [
    ("/kind", {"kind": "payment"}),
    ("/kind", {"kind": 7}),
    ("/summary", {"summary": ""}),
    ("/summary", {"summary": "x" * 501}),
    ("/summary", {"summary": "nul\x00"}),
    ("/summary", {"summary": "\ud800"}),
    ("/reason", {"reason": 5}),
    ("/payload", {"payload": "text"}),
    ("/payload/amount/value", {"payload": refund(value=0)}),
    ("/payload/amount/value", {"payload": refund(value=1.5)}),
    ("/payload/amount/value", {"payload": refund(value=True)}),
    ("/payload/amount/value", {"payload": refund(value=10**30)}),
    ("/payload/amount/currency", {"payload": refund(currency="inr")}),
    ("/payload/surprise", {"payload": PAYLOADS["refund"] | {"surprise": 1}}),
    ("/customer", {"customer": None}),
    ("/customer/ref", {"customer": {}}),
    ("/customer/email", {"customer": {"ref": "c", "email": "a@b, c@d"}}),
    ("/customer/timezone", {"customer": {"ref": "c", "timezone": "Mars/Base"}}),
    ("/customer/locale", {"customer": {"ref": "c", "locale": "???"}}),
    ("/order", {"order": ["o"]}),
    ("/depends_on", {"depends_on": "id"}),
    ("/depends_on/0", {"depends_on": [1]}),
    ("/not_before", {"not_before": "tomorrow"}),
    ("/not_before", {"not_before": "2026-11-30T09:00:00"}),
    ("/window_seconds", {"window_seconds": 0}),
    ("/state", {"state": "executed"}),
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "changes"), BAD_DRAFTS)
def test_a_bad_draft_names_the_field_and_writes_nothing(
    still: World, pointer: str, changes: dict[str, Any]
) -> None:
    before = still.everything()
    answer = still.returns.post("/actions", draft() | changes)
    assert answer.status_code == 400, answer.text
    assert answer.mimetype == "application/problem+json"
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert still.everything() == before


@pytest.mark.parametrize("field", [n for n, f in Draft.model_fields.items() if f.is_required()])
def test_a_missing_field_is_named(still: World, field: str) -> None:
    body = draft()
    del body[field]
    answer = still.returns.post("/actions", body)
    assert answer.status_code == 400
    assert {"pointer": f"/{field}", "detail": "is required"} in answer.json["errors"]


def test_a_webhook_to_a_private_address_is_refused_when_drafted(still: World) -> None:
    for pointer, payload in (
        ("/payload/url", {"url": "http://127.0.0.1/x"}),
        ("/payload/url", {"url": "https://169.254.169.254/latest"}),
        ("/payload/undo/url", {"url": "https://a.example/", "undo": {"url": "http://[::1]/"}}),
    ):
        answer = still.returns.post("/actions", draft("webhook", payload=payload))
        assert answer.status_code == 400
        assert answer.json["errors"][0]["pointer"] == pointer
