"""Joining payloads: order of arrival, nothing lost, nobody else's."""

from typing import Any

import pytest

from tests.unit.bodies import PAYLOADS
from webapp.domain.drafts import canonical, read_payload
from webapp.domain.errors import Invalid
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.merging import check_merge_key, joined, scope

REPLY, WEBHOOK = PAYLOADS["reply"], PAYLOADS["webhook"]


def join(kind: str, *payloads: dict[str, Any]) -> dict[str, Any] | None:
    """All of them, one after the other, as stored."""
    stored = [read_payload(kind, payload) for payload in payloads]
    so_far: dict[str, Any] | None = stored[0]
    for count, after in enumerate(stored[1:], 1):
        assert so_far is not None
        so_far = joined(KINDS[kind], canonical(so_far), after, count)
    return so_far


def test_mails_become_paragraphs_in_order() -> None:
    """CONTRACT: bodies are joined in order of arrival (mail: paragraphs)."""
    texts = ("One.\n", "\nTwo,\n\nstill two.", "Three.")
    found = join("reply", *(REPLY | {"body": text} for text in texts))
    assert found == REPLY | {"body": "One.\n\nTwo,\n\nstill two.\n\nThree."}


def test_a_mail_keeps_the_first_ones_subject_and_thread() -> None:
    """One mail has one subject; the recipient is the address."""
    first = REPLY | {"in_reply_to": "<1@example.com>"}
    found = join("reply", first, REPLY | {"subject": "Else", "body": "Two"})
    assert found == first | {"body": f"{REPLY['body']}\n\nTwo"}


@pytest.mark.parametrize(
    ("bodies", "becomes"),
    [
        ([{"a": 1}, {"b": 2}], [{"a": 1}, {"b": 2}]),
        ([1, 2, 3], [1, 2, 3]),
        ([[1, 2], 3], [[1, 2], 3]),
        ([[1, 2], [3], [4]], [[1, 2], [3], [4]]),
        ([[], []], [[], []]),
        (["x", None], ["x", None]),
        ([None, None, "x"], [None, None, "x"]),
    ],
)
def test_a_webhooks_body_becomes_a_list_with_one_entry_a_draft(
    bodies: list[Any], becomes: list[Any]
) -> None:
    """CONTRACT: webhook: `body` becomes a list; a body that was a list is one entry of it."""
    found = join("webhook", *(WEBHOOK | {"body": body} for body in bodies))
    assert found is not None
    assert found["body"] == becomes
    assert {k: v for k, v in found.items() if k not in ("body", "undo")} == {
        k: v for k, v in WEBHOOK.items() if k not in ("body", "undo")
    }


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("reply", {"to": "ben@example.com"}),
        ("reply", {"to": "Ana@example.com"}),
        ("webhook", {"url": "https://hooks.example.com/else"}),
        ("webhook", {"method": "PUT"}),
        ("webhook", {"headers": {"X-Account": "7"}}),
        ("webhook", {"undo": {"url": "https://hooks.example.com/else"}}),
    ],
)
def test_another_recipient_is_never_joined(kind: str, change: dict[str, Any]) -> None:
    """DESIGN, scope: compared as values, whatever the hash says."""
    one, other = PAYLOADS[kind], PAYLOADS[kind] | change
    assert joined(KINDS[kind], canonical(one), other, 1) is None
    scopes = {scope(KINDS[kind], "bot", "c", payload, "m") for payload in (one, other)}
    assert len(scopes) == 2


def test_every_part_of_the_scope_counts() -> None:
    """DESIGN: (kind, agent, customer, recipient, key)."""
    call = KINDS["reply"]
    scopes = {
        scope(call, "bot", "c", REPLY, "m"),
        scope(call, "other", "c", REPLY, "m"),
        scope(call, "bot", "d", REPLY, "m"),
        scope(call, "bot", "c", REPLY, "n"),
        scope(call, "bo", "tc", REPLY, "m"),
    }
    assert len(scopes) == 5
    assert scope(call, "bot", "c", REPLY | {"body": "x", "subject": "y"}, "m") in scopes


def test_what_is_too_long_together_is_not_joined() -> None:
    """A joined payload is as valid as any: a new action begins instead."""
    long = REPLY | {"body": "x" * 30_000}
    assert join("reply", long, long) is None


@pytest.mark.parametrize("kind", DRAFTED)
def test_only_replies_and_webhooks_take_a_merge_key(kind: str) -> None:
    """DESIGN: replies and webhooks only; the refusal names the field."""
    check_merge_key(kind, None)
    if kind in ("reply", "webhook"):
        check_merge_key(kind, "m")
        return
    with pytest.raises(Invalid) as refusal:
        check_merge_key(kind, "m")
    assert [error.pointer for error in refusal.value.errors] == ["/merge_key"]
