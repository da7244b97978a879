"""The feed by its address: filters, further pages, live rows of a narrowed feed, empty states."""

import re
from typing import Any

import pytest

from tests.api.world import World
from tests.pages.admin import get
from webapp.domain.states import State
from webapp.services import screen

HOSTILE = '"><script>alert(1)</script>\u202e'


def ids(html: str) -> list[str]:
    return re.findall(r'<li class="action" data-action="([^"]+)"', html)


def said(html: str, name: str) -> str:
    """What the feed's form says under `data-NAME`."""
    form = re.search(r'<form id="feed".*?>', html)
    assert form
    found = re.search(rf' data-{name}="([^"]*)"', form[0])
    return found[1] if found else ""


def refund(world: World, value: int, currency: str = "INR", **changes: Any) -> str:
    payload = {"payment": "pay", "amount": {"value": value, "currency": currency}, "reason": ""}
    return str(world.returns.draft("refund", payload=payload, **changes)["id"])


def test_the_address_narrows_the_feed(world: World) -> None:
    small, large, euros = refund(world, 500), refund(world, 900_000), refund(world, 900_000, "EUR")
    reply = world.shop.draft("reply", customer={"ref": "c-9"}, order="o-7")["id"]
    for query, expected in (
        ("", {small, large, euros, reply}),
        ("kind=refund&state=scheduled", {small, large, euros}),
        ("currency=inr&min=10", {large}),
        ("currency=INR&max=10", {small}),
        ("agent=shop", {reply}),
        ("customer=c-9", {reply}),
        ("order=o-7", {reply}),
        ("q=way", {reply}),
        ("due=60", set()),
        ("flagged=yes", set()),
    ):
        page = get(world.ana, f"/?{query}")
        assert page.code == 200
        assert set(ids(page.html)) == expected, query
        assert said(page.html, "total") == str(len(expected))
        assert set(ids(world.ana.client.get(f"/feed/rows?{query}").text)) == expected
    assert (
        said(get(world.ana, "/?q=&max=10&currency=inr").html, "filter") == "currency=INR&amp;max=10"
    )


def test_a_filter_that_cannot_be_meant_is_shown_with_what_is_wrong(world: World) -> None:
    """Nothing is lost: the rows are there, unfiltered, and the form's fields as they were typed."""
    action_id = world.returns.draft()["id"]
    page = get(world.ana, f"/?min=ten&kind={HOSTILE}&q=torn")
    assert page.code == 400
    assert re.search(r"min : an amount is needed, like 1250", page.text)
    assert "kind : not one of refund" in page.text
    assert HOSTILE not in page.html
    assert ids(page.html) == [action_id]
    assert said(page.html, "filter") == ""
    answer = world.ana.client.get("/feed/rows?min=ten")
    assert answer.status_code == 400
    assert "data-errors" in answer.text


def test_a_screen_goes_on_behind_what_it_has(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "ROWS", 4)
    made = {world.put(state)["id"] for state in State} | {refund(world, 1) for _ in range(6)}
    # what ended may have left drafts that it was made from
    everything = {one["id"] for one in world.ana.get("/actions?limit=200").get_json()["items"]}
    assert made <= everything
    html = get(world.ana, "/").html
    assert said(html, "total") == str(len(everything))
    seen = ids(html)
    assert len(seen) == 4
    assert 'data-more><a href="/?after=' in html
    for _ in range(20):
        after = said(html, "after")
        if not after:
            break
        html = world.ana.client.get(f"/feed/rows?after={after}").text
        assert len(ids(html)) <= 4
        seen += ids(html)
    assert sorted(seen) == sorted(everything)


def test_a_token_that_nobody_gave_is_refused(world: World) -> None:
    for after in ("x", "e30=", "bnVsbA", "eyJjbG9jayI6WyJ4IiwxXX0", "é"):
        for path in ("/", "/feed/rows"):
            answer = world.ana.client.get(f"{path}?after={after}")
            assert answer.status_code == 400, after
            assert "<b>after</b>: not a place in this feed" in answer.text


def test_live_rows_are_asked_for_by_the_same_rule(world: World) -> None:
    small, large = refund(world, 500), refund(world, 900_000)
    unknown = "0195aaaa-0000-7000-8000-000000000000"
    asked = "&".join(f"id={one}" for one in (small, large, unknown, "nothing"))
    answer = world.ana.client.get(f"/feed/match?currency=INR&min=10&{asked}")
    assert answer.get_json() == {"ids": [large]}
    assert set(world.ana.client.get(f"/feed/match?{asked}").get_json()["ids"]) == {small, large}
    many = "&".join(f"id={number}" for number in range(51))
    for bad in (f"min=x&{asked}", many):
        assert world.ana.client.get(f"/feed/match?{bad}").status_code == 400
    assert world.ana.client.get("/feed/match").get_json() == {"ids": []}


def test_an_empty_feed_says_why(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was ever drafted, nothing waits now, nothing matches; and a lost line's words."""
    first = get(world.ana, "/")
    assert "Give an agent a token" in first.text
    action_id = world.returns.draft()["id"]
    world.ana.post(f"/actions/{action_id}/cancellation")
    none = get(world.ana, "/?kind=reply")
    assert 'data-empty="match"' in none.html
    assert '<a href="/">Show all of the feed</a>' in none.html
    assert 'href="/history?kind=reply"' in none.html
    assert 'data-empty="lost" hidden' in none.html
    monkeypatch.setattr(screen, "ENDED_SHOWN_FOR", -1)
    quiet = get(world.ana, "/")
    assert "Nothing is waiting" in quiet.text
    assert "Give an agent a token" not in quiet.text


def test_what_went_wrong_is_unread_until_it_was_on_screen(world: World) -> None:
    held, failed, unknown = (
        world.put(state) for state in (State.HELD, State.FAILED, State.UNKNOWN)
    )
    world.put(State.AWAITING_APPROVAL)
    html = get(world.ana, "/").html
    assert set(said(html, "unread").split()) == {held["id"], failed["id"], unknown["id"]}
    assert said(html, "troubled") == "3"
    assert said(html, "needs") == "4"
    seen = {"views": [{"id": held["id"], "version": held["version"]},
                      {"id": failed["id"], "version": failed["version"] - 1}]}  # fmt: skip
    world.ana.client.post("/feed/views", json=seen, headers={"X-CSRFToken": world.ana.csrf})
    assert set(said(get(world.ana, "/").html, "unread").split()) == {failed["id"], unknown["id"]}
    assert said(get(world.ida, "/").html, "troubled") == "3", "each person for themselves"


def test_a_mark_has_its_sentence_and_a_cancel_says_who_and_when(world: World) -> None:
    world.policy("refund", long_window_above="1000:INR")
    action_id = refund(world, 2_000)
    row = get(world.ana, "/").html
    assert re.search(r'<span class="mark" title="Smaller amounts pass[^"]*">amount above ₹10', row)
    assert "<b>amount above ₹10.00</b>: Smaller amounts pass by the policy" in row
    world.ana.post(f"/actions/{action_id}/cancellation")
    text = get(world.ida, "/").text
    assert re.search(r"Cancelled by Ana with 1[45]:\d\d left, (just now|\d+ s ago) \.", text)
    assert "<time datetime=" in get(world.ida, "/").html
