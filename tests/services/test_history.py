"""Finding any action there ever was: at once by its names, and by all of its text."""

from typing import Any

import pytest

from tests.services.joining import say
from tests.services.people import ANA, drafted, executed
from webapp.domain.filters import Filter
from webapp.domain.states import State
from webapp.domain.times import MILLISECOND
from webapp.services import customers, history
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.services.digest import digest
from webapp.services.searchable import Searchable


def ids(desk: Desk, **asked: Any) -> list[str]:
    """The first page."""
    return [one.id for one in history.find(desk, Filter(**asked)).rows]


def indexed(desk: Desk) -> None:
    """The follower has come to all that happened."""
    while not digest(desk, [Searchable()], 60):
        pass


def spread(desk: Desk) -> dict[str, str]:
    """Actions that differ in all that can be asked for."""
    made = {
        "low": drafted(desk, order="q-77", customer={"ref": "zed 9"}, summary="Torn cover").id,
        "label": drafted(desk, "label", customer={"ref": "c-2", "name": "Meera"}).id,
        "done": executed(desk, amount={"value": 90_000, "currency": "INR"}).id,
        "joined": say(desk, "one", order="o-7").action.id,
    }
    assert say(desk, "two", order="o-8", summary="Sequel").action.id == made["joined"]
    cancel(desk, made["low"], ANA, reason="Wrong customer")
    customers.flag(desk, "c-2", "", ANA.actor)
    return made


@pytest.mark.parametrize("first_indexed", [False, True])
def test_each_is_found_by_what_it_is(desk: Desk, first_indexed: bool) -> None:
    """Issue 5, 6: the same before the index has come to it and after."""
    made = spread(desk)
    if first_indexed:
        indexed(desk)
    low, label, done, joined = (made[name] for name in ("low", "label", "done", "joined"))
    expected: list[tuple[dict[str, Any], list[str]]] = [
        ({}, [joined, done, label, low]),
        ({"q": "torn"}, [low]),
        ({"q": "tor*"}, [low]),
        ({"q": "q-77"}, [low]),
        ({"q": low}, [low]),
        ({"q": "zed 9"}, [low]),
        ({"q": "wrong CUSTOMER"}, [low]),
        ({"q": "p-1"}, [done]),
        ({"q": "meera", "kind": ("refund",)}, []),
        ({"q": "meera", "kind": ("label",)}, [label]),
        ({"q": "sequel"}, [joined]),
        ({"q": "***"}, []),
        ({"order": "q-77"}, [low]),
        ({"order": "o-8"}, [joined]),
        ({"order": "o-8", "q": "torn"}, []),
        ({"customer": "zed 9"}, [low]),
        ({"customer": "zed 9", "q": "torn"}, [low]),
        ({"customer": "zed 9", "q": "meera"}, []),
        ({"customer": "zed 9", "order": "o-8"}, []),
        ({"kind": ("label", "reply")}, [joined, label]),
        ({"state": (State.CANCELLED,)}, [low]),
        ({"state": (State.SCHEDULED,)}, [joined, label]),
        ({"state": (State.EXECUTED, State.CANCELLED)}, [done, low]),
        ({"agent": "bot", "kind": ("refund",)}, [done, low]),
        ({"agent": "nobody"}, []),
        ({"flagged": True}, [label]),
        ({"currency": "INR", "min": 90_000}, [done]),
        ({"currency": "INR", "min": 90_001}, []),
        ({"currency": "INR", "max": 89_999, "state": (State.EXECUTED,)}, []),
        ({"currency": "EUR"}, []),
        ({"due": 604_800}, [joined, label]),
        ({"due": 1}, []),
    ]
    for asked, wanted in expected:
        assert ids(desk, **asked) == wanted, asked
    customers.unflag(desk, "c-2")
    assert ids(desk, flagged=True) == []


def test_pages_follow_each_other(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each action once, in order, whatever is indexed of them and however rare the matches are."""
    monkeypatch.setattr(history, "ROWS", 5)
    monkeypatch.setattr(history, "_AT_A_TIME", 3)
    monkeypatch.setattr(history, "_SECONDS", 0)
    made = []
    for number in range(14):
        value = {"value": 1000 + number % 2, "currency": "INR"}
        made.append(drafted(desk, amount=value, summary="Torn cover").id)
        if number == 9:
            indexed(desk)
    rare = {"currency": "INR", "min": 1001}
    for asked, wanted in ({}, made), ({"q": "torn"}, made), (rare, made[1::2]):
        seen: list[str] = []
        before: str | None = None
        while True:
            page = history.find(desk, Filter(**asked), before)
            seen += [one.id for one in page.rows]
            before = page.next
            if before is None:
                break
        assert seen == wanted[::-1], asked


def test_a_search_that_finds_little_says_how_far_it_looked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for the whole table, and nobody takes a part of it for all."""
    monkeypatch.setattr(history, "_AT_A_TIME", 2)
    monkeypatch.setattr(history, "_SECONDS", 0)
    made = [drafted(desk, customer={"ref": "c"}) for _ in range(5)]
    page = history.find(desk, Filter(customer="c", q="nothing"))
    assert (page.rows, page.next) == ([], made[3].id)
    assert page.looked_to == made[3].drafted_at // MILLISECOND * MILLISECOND  # as its id has it


def test_it_says_since_when_not_all_is_found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 5, 6: an index that is behind is no secret; what is called so is found all the same."""
    monkeypatch.setattr(history, "LOOKED_THROUGH", 2)
    indexed(desk)
    made = [drafted(desk, summary="Torn cover", order=f"o-{number}") for number in range(3)]
    page = history.find(desk, Filter(q="torn"))
    assert made[0].drafted_at <= (page.behind_since or 0) <= made[1].drafted_at
    assert [one.id for one in page.rows] == [made[1].id, made[0].id]
    assert ids(desk, order="o-2") == ids(desk, q="o-2") == ids(desk, q=made[2].id) == [made[2].id]
    indexed(desk)
    assert history.find(desk, Filter(q="torn")).behind_since is None
