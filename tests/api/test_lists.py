"""Listing: order, filters, pages; and query parameters that make no sense."""

import pytest

from tests.api.world import World
from webapp.domain.states import State


def test_newest_drafted_first_and_every_page_once(world: World) -> None:
    made = [world.returns.draft()["id"] for _ in range(7)]
    seen: list[str] = []
    query = "?limit=3"
    while True:
        page = world.ana.get(f"/actions{query}").json
        seen += [one["id"] for one in page["items"]]
        if page["next"] is None:
            break
        assert len(page["items"]) == 3
        world.shop.draft()  # what comes meanwhile stands above, and moves nothing
        query = f"?limit=3&cursor={page['next']}"
    assert seen == made[::-1]


def test_a_page_that_is_exactly_full_is_the_last(world: World) -> None:
    for _ in range(3):
        world.returns.draft()
    assert world.ana.get("/actions?limit=3").json["next"] is None


def test_filters(world: World) -> None:
    refund = world.returns.draft(order="o-1", customer={"ref": "c-1"})
    reply = world.shop.draft("reply", order="o-2", customer={"ref": "c-2"})
    held = world.put(State.HELD)
    for query, expected in (
        ("state=held", {held["id"]}),
        ("state=executed", set()),
        ("kind=reply", {reply["id"]}),
        ("agent=shop", {reply["id"]}),
        ("agent=nobody", set()),
        ("customer=c-1", {refund["id"]}),
        ("order=o-2", {reply["id"]}),
        ("kind=refund&state=scheduled", {refund["id"]}),
    ):
        items = world.ana.get(f"/actions?{query}").json["items"]
        assert {one["id"] for one in items} == expected, query


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=1.5", "/limit"),
        ("limit=１", "/limit"),
        ("limit=" + "9" * 5000, "/limit"),
        ("limit=", "/limit"),
        ("limit=5&limit=6", "/limit"),
        ("state=done", "/state"),
        ("state=", "/state"),
        ("kind=payment", "/kind"),
        ("cursor=x", "/cursor"),
        ("cursor=", "/cursor"),
        ("cursor=" + "A" * 22 + "%00", "/cursor"),
        ("cursor=%C3%BC", "/cursor"),
        ("cursor=" + "A" * 10_000, "/cursor"),
        ("customer=%00", "/customer"),
        ("order=a%0Ab", "/order"),
        ("agent=" + "a" * 201, "/agent"),
        ("sate=held", "/sate"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_named(still: World, query: str, pointer: str) -> None:
    answer = still.ana.get(f"/actions?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.json["code"] == "invalid"
    assert answer.json["errors"][0]["pointer"] == pointer
