"""What a cancel stops too stands beside it, before anybody cancels. Issue 3, 5."""

import html
import re
from typing import Any

import pytest
from sqlalchemy import event

from tests.api.world import World
from tests.fixtures.statements import seen_by_sqlalchemy
from tests.pages.test_failed_parent import text
from tests.pages.test_feed import press, rows
from webapp.domain.states import State
from webapp.services import screen

LISTED = re.compile(r'<details class="stops"><summary>([^<]*)</summary>(.*?)</details>', re.DOTALL)


def family(world: World) -> list[dict[str, Any]]:
    """A refund, a reply that waits for it, and a label that waits for the reply."""
    top = world.returns.draft("refund", summary="Pay it back")
    middle = world.returns.draft("reply", depends_on=[top["id"]], summary="Say <so>")
    world.policy("label", mode="approval")
    low = world.returns.draft("label", depends_on=[middle["id"]], summary="Send a label")
    world.policy("label", mode="window")
    return [top, middle, low]


def name(row: str, verb: str) -> str:
    found = re.search(rf'<button data-do="{verb}"[^>]*aria-label="([^"]*)"', row)
    assert found
    return html.unescape(found[1])


def test_a_row_names_them_all_and_its_button_says_so(world: World) -> None:
    """To any depth, each with its kind, its words and its state."""
    top, middle, low = family(world)
    shown = rows(world.ana)
    [(summary, listed)] = LISTED.findall(shown[top["id"]])
    assert summary == "also stops 2 more"
    assert re.findall(r'href="/actions/([^"]*)"', listed) == [middle["id"], low["id"]]
    assert text(listed) == (
        "Reply “Say &lt;so&gt;” · scheduled Return label “Send a label” · needs approval"
    )
    assert name(shown[top["id"]], "cancel").endswith(", which also stops 2 more")
    assert name(shown[middle["id"]], "cancel").endswith(", which also stops 1 more")
    assert LISTED.search(shown[low["id"]]) is None
    assert "which" not in name(shown[low["id"]], "cancel")


def test_who_rejects_is_told_too(world: World) -> None:
    """Every arrow into `cancelled` or `rejected` takes them along."""
    top = world.put(State.AWAITING_APPROVAL)
    world.returns.draft("reply", depends_on=[top["id"]])
    assert name(rows(world.ana)[top["id"]], "reject").endswith(", which also stops 1 more")


def test_what_runs_or_is_over_is_not_named(world: World) -> None:
    """Nor what stands below it: a cancel would not take it."""
    top, middle, low = family(world)
    press(world.ana, world.look(middle["id"]), "cancel")
    assert LISTED.search(rows(world.ana)[top["id"]]) is None
    assert world.look(low["id"])["state"] == "cancelled"
    world.run(top["id"], State.EXECUTED)
    assert LISTED.search(rows(world.ana)[top["id"]]) is None


def test_a_row_names_no_more_than_it_can_hold_and_its_page_all(world: World) -> None:
    """The page has the whole list, however long."""
    top = world.returns.draft("refund")
    ids = [
        world.returns.draft("reply", depends_on=[top["id"]])["id"] for _ in range(screen.NAMED + 2)
    ]
    [(summary, listed)] = LISTED.findall(rows(world.ana)[top["id"]])
    assert summary == f"also stops more than {screen.NAMED} others"
    assert listed.count("listitem") == screen.NAMED + 1
    assert f'<a href="/actions/{top["id"]}">All of them</a>' in listed
    page = world.ana.client.get(f"/actions/{top['id']}").text
    [panel] = re.findall(r"<section class=\"panel\" data-stopped>.*?</section>", page, re.DOTALL)
    assert f"A cancel also stops {len(ids)} more" in panel
    assert re.findall(r'href="/actions/([^"]*)"', panel) == ids


def test_the_pages_panel_says_what_each_is(world: World) -> None:
    """As the row does; nothing where it stands alone."""
    top, _, low = family(world)
    page = world.ana.client.get(f"/actions/{top['id']}").text
    [panel] = re.findall(r"<section class=\"panel\" data-stopped>.*?</section>", page, re.DOTALL)
    assert text(panel) == (
        "A cancel also stops 2 more "
        "Reply “Say &lt;so&gt;”, scheduled Return label “Send a label”, needs approval"
    )
    assert "data-stopped" not in world.ana.client.get(f"/actions/{low['id']}").text


@pytest.mark.parametrize("parents", [2, 9])
def test_the_feed_asks_once_for_all_rows(world: World, parents: int) -> None:
    """No question a row."""
    for _ in range(parents):
        family(world)
    asked: list[str] = []

    def count(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    engines = {world.db._auto, world.db._writing}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", count)
    with seen_by_sqlalchemy():
        assert world.ana.client.get("/").text.count("<summary>also stops") == 2 * parents
    for engine in engines:
        event.remove(engine, "before_cursor_execute", count)
    assert sum("WITH RECURSIVE" in one for one in asked) == 1
    assert len(asked) < 20
