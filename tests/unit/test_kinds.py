"""Every kind has a way back, and the way back is a kind that takes what it builds."""

import pytest

from tests.unit.bodies import AMOUNT, PAYLOADS, body
from webapp.domain.drafts import read_draft, read_payload
from webapp.domain.kinds.base import Done, Stock
from webapp.domain.kinds.registry import DRAFTED, KINDS

CONTRACT = {
    "refund": ("reversal", "refund.reversal"),
    "label": ("void", "label.void"),
    "reply": ("correction", "reply.correction"),
    "exchange": ("restock", "exchange.restock"),
    "webhook": ("undo", "webhook.undo"),
}
"""Kinds and payloads: the name of each compensation."""


def test_kinds_and_ways_back_are_those_of_the_contract() -> None:
    """Promise 12: no kind without a compensation."""
    named = {
        name: (kind.way_back.name, kind.way_back.kind)
        for name, kind in KINDS.items()
        if kind.way_back is not None
    }
    assert named == CONTRACT
    assert set(DRAFTED) == set(CONTRACT)
    assert set(KINDS) == set(CONTRACT) | {back for _, back in CONTRACT.values()}


@pytest.mark.parametrize("name", DRAFTED)
def test_a_way_back_builds_a_payload_of_its_own_kind(name: str) -> None:
    """Promise 12: the button after a lost race works without another question."""
    way_back = KINDS[name].way_back
    assert way_back is not None
    done = Done(read_draft(body(name)).payload, "provider-1", "act_1")
    built = way_back.build(done, "We are sorry.")
    assert read_payload(way_back.kind, built)
    assert KINDS[way_back.kind].repairs == name
    assert "provider-1" in str(built) or built["undoes"] == "act_1"


@pytest.mark.parametrize("name", ["refund", "exchange"])
def test_a_way_back_is_for_the_same_amount_and_items(name: str) -> None:
    """CONTRACT: reversal of the refund, stock back and the charge returned."""
    payload = PAYLOADS[name] | ({"charge": AMOUNT, "quantity": 3} if name == "exchange" else {})
    kind = KINDS[name]
    assert kind.way_back is not None
    back = kind.way_back.build(Done(payload, "p", "k"), "")
    repair = KINDS[kind.way_back.kind]
    assert kind.amount(payload) == repair.amount(back) == (1250, "INR")
    assert kind.reserves(payload) == repair.restocks(back)


def test_only_an_exchange_touches_stock() -> None:
    """CONTRACT, Kinds: the reversible part now."""
    reserving = {name: KINDS[name].reserves(PAYLOADS[name]) for name in DRAFTED}
    assert {name: taken for name, taken in reserving.items() if taken} == {
        "exchange": Stock("mug", 1)
    }


def test_a_webhook_without_undo_has_no_way_back_and_says_so() -> None:
    """CONTRACT: without `undo` it waits for approval, unless allowed."""
    kind = KINDS["webhook"]
    assert kind.way_back is not None
    without = {k: v for k, v in PAYLOADS["webhook"].items() if k != "undo"}
    assert kind.no_undo(without)
    assert not kind.way_back.available(without)
    assert kind.no_undo(PAYLOADS["webhook"]) is None
    assert kind.way_back.available(PAYLOADS["webhook"])


@pytest.mark.parametrize("subject", ["Your order", "Re: Your order", "x" * 200])
def test_a_correction_stays_in_its_thread(subject: str) -> None:
    """CONTRACT, `correction`: a mail in the same thread whose text is the note."""
    way_back = KINDS["reply"].way_back
    assert way_back is not None
    built = way_back.build(Done(PAYLOADS["reply"] | {"subject": subject}, "<m@x>", "k"), "Sorry.")
    assert read_payload("reply.correction", built) == {
        "to": "ana@example.com",
        "subject": built["subject"],
        "body": "Sorry.",
        "in_reply_to": "<m@x>",
    }
    assert built["subject"].lower().count("re:") == 1


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_can_be_shown(name: str) -> None:
    """CONTRACT, Browser: a row names what it touches; a customer reads a line of their own."""
    kind = KINDS[name]
    payload = PAYLOADS.get(name)
    if payload is None:
        original = next(k for k in KINDS.values() if k.way_back and k.way_back.kind == name)
        assert original.way_back is not None
        payload = original.way_back.build(Done(PAYLOADS[original.name], "p", "k"), "n")
    assert kind.label
    assert kind.target(payload)
    assert "{amount}" not in kind.customer_line or kind.amount(payload)
