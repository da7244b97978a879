"""What staff see of joined drafts: on the row, in its live frame, and on the action's page."""

import re

from tests.api.test_merging import say
from tests.api.world import World
from tests.unit.bodies import PAYLOADS
from webapp.services import screen
from webapp.web.pages.rendered import Rows


def test_the_row_and_its_page_say_how_many_and_what(world: World) -> None:
    """DESIGN: what runs is what was shown; each draft's own words stay apart."""
    made = say(world, "One <b>", summary="Say one").json["id"]
    say(world, "Two", summary="Say <two>", order="o-2", reason="He asked")
    third = say(world, "Three", summary="Say three").json
    feed = world.ana.client.get("/").text
    row = re.search(rf'<li class="action" data-action="{made}".*?</li>', feed, re.DOTALL)
    assert row
    assert f'data-version="{third["version"]}"' in row[0]
    assert ">joined from 3 drafts</span>" in row[0]
    assert 'Joined by <span class="said">“Say &lt;two&gt;”</span>.' in row[0]
    page = world.ana.client.get(f"/actions/{made}").text
    panel = re.search(r"<section class=\"panel\" data-parts>.*?</section>", page, re.DOTALL)
    assert panel
    assert "Joined from 3 drafts" in panel[0]
    assert re.findall(r'<div class="letter">(.*?)</div>', panel[0]) == [
        "One &lt;b&gt;", "Two", "Three",
    ]  # fmt: skip
    assert "order o-2" in panel[0]
    assert "He asked" in panel[0]
    assert "One &lt;b&gt;\n\nTwo\n\nThree" in page, "what goes out, as one text"
    assert "joined by a draft of returns: 3 in one now" in page


def test_a_live_frame_shows_the_new_version(world: World) -> None:
    """Promise 10: the merge is an event, so a screen gets the row anew."""
    made = say(world, "One").json["id"]
    cursor = screen.latest(world.desk)
    say(world, "Two", summary="Say two")
    events, rows, around, _ = screen.changes(world.desk, cursor, 10)
    assert [event.verb for event in events] == ["merged"]
    with world.app.test_request_context():
        html = Rows(world.app).html(rows[made], around, world.desk.now())
    assert "joined from 2 drafts" in html
    assert "Say two" in html


def test_the_customer_reads_nothing_of_it(world: World) -> None:
    """CONTRACT, status page: neither summary nor reason."""
    say(world, "One", summary="Say one")
    found = say(world, "Two", summary="Say two").json
    page = world.app.test_client().get(found["status_url"].removeprefix("http://localhost")).text
    assert "Say two" not in page
    assert PAYLOADS["reply"]["body"] not in page
