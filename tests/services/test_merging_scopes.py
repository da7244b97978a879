"""One customer's text can never reach another, whatever is drafted in whatever order."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.joining import every, say
from tests.services.people import ANA, BOT, OTHER
from webapp.domain.drafts import fingerprint
from webapp.domain.states import State
from webapp.services import cancel, clock, draft
from webapp.services.desk import Desk
from webapp.store import merging
from webapp.store.arrow import param
from webapp.store.engine import Database
from webapp.store.schema import action

AGENTS = {"bot": BOT, "other": OTHER}
HOOK = "https://hooks.example.com"

said = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["reply", "webhook"]),
        "agent": st.sampled_from(sorted(AGENTS)),
        "customer": st.sampled_from(["c-1", "c-2"]),
        "where": st.sampled_from(["a", "b"]),
        "merge_key": st.sampled_from(["m", "n"]),
        "then": st.sampled_from(["", "", "", "hold", "cancel"]),
    }
)


def scope_of(one: dict[str, Any]) -> tuple[str, ...]:
    """What a text was meant for."""
    return tuple(one[name] for name in ("kind", "agent", "customer", "where", "merge_key"))


def play(desk: Desk, story: list[dict[str, Any]], tag: str) -> dict[str, tuple[str, ...]]:
    """Draft them all, holding or cancelling what some of them became; texts and their scopes."""
    meant = {}
    # Customers of each story's own, so that it does not join what another left behind.
    story = [one | {"customer": f"{tag}-{one['customer']}"} for one in story]
    for number, one in enumerate(story):
        text = f"{tag}-{number}"
        meant[text] = scope_of(one)
        to = f"{one['where']}@example.com"
        where = {"to": to} if one["kind"] == "reply" else {"url": f"{HOOK}/{one['where']}"}
        made = say(
            desk, text, one["kind"], agent=AGENTS[one["agent"]], customer=one["customer"],
            merge_key=one["merge_key"], **where,
        ).action  # fmt: skip
        if one["then"] == "hold" and made.state == "scheduled":
            clock.hold(desk, made.id, ANA)
        elif one["then"] == "cancel":
            cancel.cancel(desk, made.id, ANA)
    return meant


def check(db: Database, meant: dict[str, tuple[str, ...]], tag: str) -> None:
    """Every text stands once, in order, in an action of its own scope."""
    found: list[str] = []
    for row in every(db):
        payload = json.loads(row.payload)
        body = payload["body"]
        texts = body.split("\n\n") if row.kind == "reply" else body if row.merges else [body]
        if not texts[0].startswith(f"{tag}-"):
            continue
        assert fingerprint(row.payload) == row.payload_hash
        assert len(texts) == row.merges + 1 <= 3
        where = payload["to"][0] if row.kind == "reply" else payload["url"].rpartition("/")[2]
        here = (row.kind, row.agent, row.customer_ref, where, row.merge_key)
        assert {meant[text] for text in texts} == {here}, texts
        assert texts == sorted(texts, key=list(meant).index), "in order of arrival"
        found += texts
    assert sorted(found) == sorted(meant)


def run(desk: Desk) -> None:
    """The property."""
    numbers = iter(range(10**6))

    @settings(
        max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    @given(st.lists(said, min_size=2, max_size=10))
    def no_text_strays(story: list[dict[str, Any]]) -> None:
        tag = f"t{next(numbers)}"
        check(desk.db, play(desk, story, tag), tag)

    no_text_strays()


def test_no_text_strays(desk: Desk) -> None:
    """DESIGN: only in its scope (kind, agent, customer, recipient, key)."""
    run(desk)


def test_not_even_where_all_scopes_have_one_hash(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash only finds candidates; the values decide."""
    monkeypatch.setattr(draft, "scope", lambda *_: "0" * 64)
    run(desk)


OTHERWISE = {
    "agent": {"agent": "other"},
    "customer_ref": {"customer": "c-2"},
    "merge_key": {"merge_key": "n"},
}


@pytest.mark.parametrize("forgotten", OTHERWISE)
def test_a_scope_that_forgets_a_value_is_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, forgotten: str
) -> None:
    """Planted: the candidate is not compared by this value any more."""
    monkeypatch.setattr(draft, "scope", lambda *_: "0" * 64)
    one = {"kind": "reply", "agent": "bot", "customer": "c-1", "where": "a", "merge_key": "m"}
    pair = [one | {"then": ""}, one | {"then": ""} | OTHERWISE[forgotten]]
    for tag in ("kept", "also"):
        check(desk.db, play(desk, pair, tag), tag)
    forget(monkeypatch, forgotten)
    with pytest.raises(AssertionError):
        check(desk.db, play(desk, pair, "strayed"), "strayed")


def forget(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Neither the search nor the write compares this value any more."""
    kept = [one for one in merging._SCOPE if one != name]
    same = [action.c[one] == param(one, action.c[one].type) for one in kept]
    found = action.select().where(action.c.state == State.SCHEDULED, *merging._open, *same)
    monkeypatch.setattr(merging, "_TARGET", found.order_by(action.c.id.desc()).limit(1))
    write = merging.merge

    def merge(tx: Any, found: Any, values: Any, *more: Any) -> bool:
        return write(tx, found, {**values, name: getattr(found, name)}, *more)

    monkeypatch.setattr(merging, "merge", merge)
