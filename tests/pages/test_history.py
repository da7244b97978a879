"""The history's page: what it finds, how it says what is wrong, and one case as a file."""

import json
import re
from typing import Any

from tests.api.test_merging import say
from tests.api.world import PAYLOADS, World
from tests.pages.admin import get
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import history, views
from webapp.services.digest import digest
from webapp.services.searchable import Searchable

HOSTILE = "<script>alert(1)</script>\u202e"


def _ids(html: str) -> list[str]:
    return re.findall(r'<li data-action="([^"]+)"', html)


def test_it_finds_and_says_what_became_of_each(world: World) -> None:
    """Issue 5, 6: without JavaScript, newest first, with a link to each."""
    assert "Nothing has been drafted yet" in get(world.ana, "/history").text
    gone = world.put(State.CANCELLED)["id"]
    done = world.put(State.EXECUTED)["id"]
    named = world.returns.draft(
        summary=HOSTILE, customer={"ref": "c-18", "name": "Meera \u202e"}, order="o-1"
    )["id"]
    page = get(world.ana, "/history")
    assert _ids(page.html) == [named, done, gone]
    assert 'aria-current="page">History' in page.html
    assert HOSTILE not in page.html
    assert "\u202e" not in page.html
    assert "Older" not in page.text
    while not digest(world.desk, [Searchable()], 60):
        pass
    for query, expected in {
        "q=meera": [named],
        "q=alert(1)": [named],
        f"q=p-{done}": [done],
        f"q={gone}": [gone],
        "customer=c-17&state=executed&state=cancelled": [done, gone],
        "order=o-1": [named],
        "kind=label": [],
        "q=meera&kind=refund&currency=INR&min=12.50&max=12.50": [named],
        "q=%22)+OR+*": [],
    }.items():
        answer = get(world.ana, f"/history?{query}")
        assert answer.code == 200
        assert _ids(answer.html) == expected, query
    nothing = get(world.ana, "/history?q=zebra")
    assert "Nothing like that" in nothing.text
    assert 'href="/history">show everything' in nothing.html
    assert 'value="zebra"' in nothing.html


def test_what_is_wrong_stands_at_its_field(world: World) -> None:
    """Nothing that was typed is lost."""
    answer = get(world.ana, "/history?q=torn&min=12&max=x&kind=nothing&customer=c-17")
    assert answer.code == 400
    assert 'value="torn"' in answer.html
    assert 'value="c-17"' in answer.html
    assert '<details class="narrow" open>' in answer.html
    assert "choose the currency of this amount" in answer.text
    assert "not one of refund" in answer.text
    assert _ids(answer.html) == []
    for before in ("x", "0195", "%E2%80%AE", "a" * 36):
        odd = get(world.ana, f"/history?before={before}")
        assert odd.code == 400
        assert "is no action's id" in odd.text.replace("&#39;", "'")
    assert get(world.ana, "/history?due=0").code == 400
    assert world.app.test_client().get("/history").status_code in (302, 303)


def test_pages_keep_what_was_asked(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(history, "ROWS", 2)
    made = [world.returns.draft(summary="Torn cover", order=f"o-{n}")["id"] for n in range(5)]
    path, seen = "/history?q=torn+cover&state=scheduled", []
    for _ in range(3):
        page = get(world.ana, path)
        seen += _ids(page.html)
        older = re.search(r'rel="next" href="([^"]+)"', page.html)
        path = older[1].replace("&amp;", "&") if older else ""
    assert seen == made[::-1]
    assert path == ""
    assert 'href="/history?state=scheduled&amp;q=torn+cover">Newest' in page.html


def test_an_index_that_is_behind_says_so(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(history, "LOOKED_THROUGH", 1)
    world.returns.draft()
    assert "are still being read" in get(world.ana, "/history?q=asha").text
    digest(world.desk, [Searchable()], 60)
    assert "are still being read" not in get(world.ana, "/history?q=asha").text


def test_a_case_tells_attempts_receipts_and_changes(world: World) -> None:
    """Issue 5, 6: attempt, receipt and payload diff, with who did what."""
    done = world.put(State.EXECUTED)["id"]
    world.ana.post(f"/actions/{done}/cancellation")
    late = get(world.ana, f"/actions/{done}").text
    assert "Attempts" in late
    assert "1: executed after" in late
    assert "Won by the claim: the cancel was too late" in late
    assert "Ahead by" in late
    gone = world.put(State.CANCELLED)["id"]
    page = get(world.ana, f"/actions/{gone}")
    assert "Won by the cancel" in page.text
    assert "Attempts" not in page.text
    assert f'href="http://localhost/actions/{gone}"' in page.html
    again = world.ana.post(f"/actions/{gone}/again").get_json()["id"]
    with world.db.read() as tx:
        person = tx.conn.exec_driver_sql("SELECT id FROM person WHERE name = 'Ana'").scalar_one()
    views.record(world.desk, person, [(again, 1)])
    repeated = get(world.ana, f"/actions/{again}").text
    assert "It repeats the refund that is cancelled. It sends the same." in repeated
    assert "On screen Ana" in repeated


def test_a_joined_drafts_own_subject_is_said_but_not_sent(world: World) -> None:
    made = say(world, "One").json["id"]
    other = {**PAYLOADS["reply"], "body": "Two", "subject": "Another <b>"}
    assert say(world, "Two", payload=other).json["id"] == made
    page = get(world.ana, f"/actions/{made}")
    assert "Said, but not sent" in page.text
    assert "<del>Another &lt;b&gt;</del>" in page.html


def test_a_case_is_one_file(world: World) -> None:
    """Everything the page tells, for programs; nothing that would let its reader act."""
    made = say(world, "One", summary=HOSTILE).json["id"]
    say(world, "Two", order="o-8")
    world.ana.post(f"/actions/{made}/cancellation", {"reason": "Wrong <b>"})
    answer = world.ana.client.get(f"/actions/{made}/case.json")
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="case-{made}.json"'
    case = json.loads(answer.text)
    assert case["form"] == 1
    assert case["exported_by"] == "staff:ana@example.com"
    assert case["action"]["summary"] == HOSTILE
    assert case["action"]["cancel_reason"] == "Wrong <b>"
    assert [one["verb"] for one in case["timeline"]] == ["drafted", "merged", "cancelled"]
    assert case["people"]["staff:ana@example.com"] == "Ana"
    assert [part["payload"]["body"] for part in case["drafts"]] == ["One", "Two"]
    assert case["drafts"][1]["order"] == "o-8"
    assert case["receipt"]["won_by"] == "cancel"
    assert case["receipt"]["margin_ms"] > 60 * SECOND / 1000 / 1000
    assert case["personal_data_removed_at"] is None
    assert "/s/" not in answer.text
    assert world.ana.client.get("/actions/nothing/case.json").status_code == 404
    assert world.app.test_client().get(f"/actions/{made}/case.json").status_code == 401
