"""A draft's body: every field, every refusal with a pointer to it, nothing guessed."""

from typing import Any

import pytest

from tests.fixtures.retail import retail_actions
from tests.unit.bodies import AMOUNT, PAYLOADS, body
from webapp.domain.drafts import canonical, fingerprint, read_draft, read_payload
from webapp.domain.errors import Invalid
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.times import from_rfc3339

WHOLE = body(
    reason="It arrived broken.\nSorry.",
    customer={
        "ref": "c-1",
        "name": "Ana",
        "email": "ana@example.com",
        "locale": "pt-BR",
        "timezone": "Asia/Kolkata",
    },
    order="o-99",
    depends_on=["0195"],
    not_before="2026-11-30T09:00:00+05:30",
)


def pointers(wrong: object) -> list[str]:
    with pytest.raises(Invalid) as refusal:
        read_draft(wrong)
    assert all(error.detail for error in refusal.value.errors)
    return [error.pointer for error in refusal.value.errors]


def test_every_field_of_the_contract_is_read() -> None:
    """CONTRACT, Draft body."""
    draft = read_draft(WHOLE)
    assert draft.model_dump(exclude={"merge_key"}) == WHOLE
    assert draft.not_before_at == from_rfc3339("2026-11-30T03:30:00Z")


def test_what_may_be_left_out_is_left_out() -> None:
    """CONTRACT, Draft body: `reason?`, `order?`, `depends_on?`, `not_before?`, `merge_key?`."""
    draft = read_draft(body())
    assert (draft.reason, draft.order, draft.depends_on, draft.not_before_at) == (
        "",
        None,
        [],
        None,
    )


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ([], ""),
        ("draft", ""),
        (None, ""),
        (body("nothing"), "/kind"),
        (body("refund.reversal"), "/kind"),
        (body() | {"kind": 7}, "/kind"),
        (body(summary=None), "/summary"),
        (body(summary=""), "/summary"),
        (body(summary=" \n "), "/summary"),
        (body(summary="x" * 501), "/summary"),
        (body(reason=7), "/reason"),
        (body(payload=None), "/payload"),
        (body(payload=[]), "/payload"),
        (body(customer=None), "/customer"),
        (body(customer={}), "/customer/ref"),
        (body(customer={"ref": ""}), "/customer/ref"),
        (body(customer={"ref": "c", "age": 7}), "/customer/age"),
        (body(customer={"ref": "c", "email": "a@b.c, d@e.f"}), "/customer/email"),
        (body(customer={"ref": "c", "locale": "en_US; drop"}), "/customer/locale"),
        (body(customer={"ref": "c", "timezone": "Mars/Phobos"}), "/customer/timezone"),
        (body(customer={"ref": "c", "timezone": "../../etc/passwd"}), "/customer/timezone"),
        (body(order=99), "/order"),
        (body(order="o\n9"), "/order"),
        (body(depends_on="0195"), "/depends_on"),
        (body(depends_on=["ok", 7]), "/depends_on/1"),
        (body(depends_on=[""] * 1), "/depends_on/0"),
        (body(depends_on=["x"] * 51), "/depends_on"),
        (body(not_before="soon"), "/not_before"),
        (body(not_before="2026-11-30T09:00:00"), "/not_before"),
        (body(not_before=1764493200), "/not_before"),
        (body(window_seconds=0), "/window_seconds"),
        (body(execute_at="2026-11-30T09:00:00Z"), "/execute_at"),
        (body(summary="a\x00b"), "/summary"),
        (body(customer={"ref": "c", "name": "\ud83d"}), "/customer/name"),
        (body("webhook", payload=PAYLOADS["webhook"] | {"body": ["\x00"]}), "/payload/body/0"),
        (body() | {"a/b~c": 1}, "/a~1b~0c"),
    ],
)
def test_a_wrong_field_is_named(wrong: object, pointer: str) -> None:
    """Issue 2, bad input: a clear message naming the field. The window is not the agent's."""
    assert pointers(wrong) == [pointer]


@pytest.mark.parametrize(
    ("kind", "change", "at"),
    [
        ("refund", {"amount": None}, "/amount"),
        ("refund", {"amount": AMOUNT | {"value": 0}}, "/amount/value"),
        ("refund", {"amount": AMOUNT | {"value": 12.5}}, "/amount/value"),
        ("refund", {"amount": AMOUNT | {"value": "1250"}}, "/amount/value"),
        ("refund", {"amount": AMOUNT | {"currency": "inr"}}, "/amount/currency"),
        ("refund", {"amount": AMOUNT | {"unit": "paise"}}, "/amount/unit"),
        ("refund", {"payment": ""}, "/payment"),
        ("refund", {"reason": None}, "/reason"),
        ("refund", {"reason": "a\nb"}, "/reason"),
        ("refund", {"speed": "now"}, "/speed"),
        ("label", {"from": {"name": "Ana"}}, "/from/street1"),
        ("label", {"to": PAYLOADS["label"]["to"] | {"email": "a@b, c@d"}}, "/to/email"),
        ("label", {"parcel": {"weight_g": 0}}, "/parcel/weight_g"),
        ("label", {"parcel": {"weight_g": 1, "length_cm": 1.5}}, "/parcel/length_cm"),
        ("label", {"carrier": "US\rPS"}, "/carrier"),
        ("label", {"sender": {}}, "/sender"),
        ("reply", {"to": "Ana <ana@example.com>"}, "/to"),
        ("reply", {"to": ["ana@example.com"]}, "/to"),
        ("reply", {"to": "a@example.com,b@example.com"}, "/to"),
        ("reply", {"subject": "Hi\r\nBcc: x@example.com"}, "/subject"),
        ("reply", {"subject": "=?utf-8?q?hi=0ABcc=3Ax=40example.com?="}, "/subject"),
        ("reply", {"in_reply_to": "=?utf-8?q?=0A?="}, "/in_reply_to"),
        ("reply", {"body": ""}, "/body"),
        ("reply", {"body": "bell\x07"}, "/body"),
        ("reply", {"body": "x" * 50_001}, "/body"),
        ("reply", {"cc": "b@example.com"}, "/cc"),
        ("exchange", {"quantity": 0}, "/quantity"),
        ("exchange", {"quantity": True}, "/quantity"),
        ("exchange", {"quantity": 1_001}, "/quantity"),
        ("exchange", {"sku": ""}, "/sku"),
        ("exchange", {"charge": {"value": -1, "currency": "INR"}}, "/charge/value"),
        ("webhook", {"url": "hooks.example.com"}, "/url"),
        ("webhook", {"url": "ftp://hooks.example.com/"}, "/url"),
        ("webhook", {"url": "https://user:pw@hooks.example.com/"}, "/url"),
        ("webhook", {"url": "https://hooks.example.com/#part"}, "/url"),
        ("webhook", {"url": "https://hooks.example.com/a b"}, "/url"),
        ("webhook", {"url": "https://hooks.example.com:99999/"}, "/url"),
        ("webhook", {"method": "GET"}, "/method"),
        ("webhook", {"headers": {"X": "a\nb"}}, "/headers/X"),
        ("webhook", {"headers": {"X": 7}}, "/headers/X"),
        ("webhook", {"body": float("inf")}, "/body"),
        ("webhook", {"undo": {}}, "/undo/url"),
        ("webhook", {"undo": {"url": "https://h.example/", "method": "POST"}}, "/undo/method"),
    ],
)
def test_a_wrong_payload_is_refused_at_its_field(
    kind: str, change: dict[str, Any], at: str
) -> None:
    """CONTRACT, Kinds and payloads: unknown fields are refused, amounts are minor units above 0."""
    payload = {k: v for k, v in (PAYLOADS[kind] | change).items() if v is not None}
    assert f"/payload{at}" in pointers(body(kind, payload=payload))


def test_all_that_is_wrong_is_said_at_once() -> None:
    """One round trip is enough to put a body right."""
    assert pointers(body(summary=None, order=7, unknown=1)) == ["/summary", "/order", "/unknown"]


@pytest.mark.parametrize("kind", DRAFTED)
def test_a_stored_payload_is_the_one_that_was_sent(kind: str) -> None:
    """Promise 3; CASES pydantic/pydantic-ai#6968: what is approved is what runs."""
    sent = PAYLOADS[kind]
    stored = read_draft(body(kind)).payload
    kept = {name: value for name, value in stored.items() if value not in ({}, None)}
    assert kept == {k: v for k, v in sent.items() if v not in ({}, None)} | (
        {"undo": {"url": sent["undo"]["url"]}} if "undo" in sent else {}
    )
    assert read_payload(kind, stored) == stored


def test_the_real_actions_of_a_shop_are_all_valid() -> None:
    """Issue 2, must hold: all of the retail actions can be drafted."""
    for action in retail_actions():
        draft = read_draft(action.body(dict.fromkeys(action.depends_on_local, "0195")))
        assert draft.kind in KINDS


def test_one_body_has_one_fingerprint() -> None:
    """Promise 9: the same key and body answer as the first did, however the JSON was written."""
    one, other = {"a": 1, "b": {"c": "é", "d": []}}, {"b": {"d": [], "c": "é"}, "a": 1}
    assert fingerprint(canonical(one)) == fingerprint(canonical(other))
    assert fingerprint(canonical(one)) != fingerprint(canonical(one | {"a": 2}))
    assert len(fingerprint("")) == 64
