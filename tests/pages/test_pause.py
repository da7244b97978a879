"""Pausing from the bar: what it stops is shown before, who and why after, and it ends again."""

import re

import pytest

from tests.api.world import World
from tests.pages.admin import get, post
from tests.store.rows import put
from webapp.domain.times import SECOND
from webapp.services import pause

HOUR = 3_600 * SECOND
SOON = r"in 59:\d\d \(\d\d:\d\d:\d\d UTC\)"


def choice(world: World, value: str) -> str:
    """What the page says of one choice."""
    html = get(world.ana, "/pause").html
    found = re.search(rf'name="what" value="{value}"[^>]*>(.*?)</label>', html, re.DOTALL)
    assert found, value
    words = " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())
    return re.sub(r" (?=[,;.)])|(?<=[(]) ", "", words)


def standing(world: World) -> list[tuple[str | None, str | None, str, str]]:
    return [(one.kind, one.agent, one.reason, one.paused_by) for one in pause.standing(world.desk)]


def test_each_choice_says_what_it_stops(world: World) -> None:
    for due in (2 * HOUR, HOUR):
        put(world.db, due=due, agent="returns")
    put(world.db, kind="reply", due=3 * HOUR, agent="returns")
    put(world.db, kind="reply", due=-SECOND, agent="shop")
    put(world.db, kind="label", due=-SECOND, agent="shop", blockers=1)
    put(world.db, "executing", agent="shop", due=-HOUR)
    put(world.db, "held", agent="shop")
    everything = choice(world, "everything")
    assert everything.startswith(
        "Everything 5 scheduled, the next due now; 1 is running and can’t be stopped."
    )
    assert re.search(
        rf"2 × Reply, next now 2 × Refund, next {SOON} 1 × Return label$", everything
    ), everything
    assert re.fullmatch(
        rf"Refund 2 scheduled, the next due {SOON}; 1 is running and can’t be stopped.",
        choice(world, "kind:refund"),
    )
    assert choice(world, "kind:label") == "Return label 1 scheduled."
    assert choice(world, "kind:exchange") == "Exchange Nothing is scheduled."
    assert re.fullmatch(
        rf"returns 3 scheduled, the next due {SOON}. 2 × Refund, next {SOON} "
        r"1 × Reply, next in 2:59:\d\d .*",
        choice(world, "agent:returns"),
    ), choice(world, "agent:returns")
    assert standing(world) == []


@pytest.mark.parametrize(
    ("what", "scope", "said"),
    [
        ("everything", (None, None), "Everything is paused by Ana"),
        ("kind:refund", ("refund", None), "Refund paused by Ana"),
        ("agent:returns", (None, "returns"), "returns paused by Ana"),
    ],
)
def test_it_is_paused_with_who_and_why_and_resumed(
    world: World, what: str, scope: tuple[str | None, str | None], said: str
) -> None:
    made = post(world.ana, "/pause", {"what": what, "reason": " provider is <down> "})
    assert (made.code, made.location) == (303, "/")
    assert standing(world) == [(*scope, "provider is <down>", "staff:ana@example.com")]
    feed = get(world.ida, "/")
    assert said in feed.text
    assert "provider is &lt;down&gt;" in feed.html
    assert "paused by Ana" in choice(world, what)
    # again changes nothing
    assert post(world.ida, "/pause", {"what": what, "reason": "me too"}).code == 303
    assert "Paused already, by Ana." in get(world.ida, "/").text
    assert len(standing(world)) == 1
    [ends] = re.findall(r'action="(/pause/\d+/end)"', get(world.ana, "/pause").html)
    assert post(world.ida, ends, {}).code == 303
    assert standing(world) == []
    post(world.ana, ends, {})
    assert "Somebody has resumed already" in get(world.ana, "/").text


@pytest.mark.parametrize(
    "path",
    ["/", "/approvals", "/history", "/reports", "/preferences", "/pause", "/settings/"],
)
def test_every_page_says_it_and_resumes(world: World, path: str) -> None:
    """The one that refuses staff, too."""
    post(world.ana, "/pause", {"what": "everything", "reason": "counting"})
    page = get(world.ana, path)
    assert "Everything is paused by Ana" in page.text
    [form] = re.findall(r'<form [^>]*action="/pause/\d+/end">.*?</form>', page.html, re.DOTALL)
    assert 'name="csrf_token"' in form


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "is required: say why"),
        ({"reason": "  "}, "is required: say why"),
        ({"reason": "r", "what": ""}, "choose everything, a kind or an agent"),
        ({"reason": "r", "what": "kind"}, "choose everything, a kind or an agent"),
        ({"reason": "r", "what": "until:noon"}, "choose everything, a kind or an agent"),
        ({"reason": "r", "what": "kind:payment"}, "not one of refund"),
        ({"reason": "r", "what": "agent:nobody"}, "there is no agent"),
        ({"reason": "r", "what": "agent:\u202eevil"}, "there is no agent"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_lost(
    world: World, fields: dict[str, str], says: str
) -> None:
    answer = post(world.ana, "/pause", fields)
    assert answer.code == 400
    assert "Nothing is paused." in answer.text
    assert says in answer.text
    if fields.get("reason", "").strip():
        assert 'name="reason" value="r"' in answer.html
    assert standing(world) == []


def test_what_was_chosen_stays_chosen_and_in_sight(world: World) -> None:
    closed = '<details class="more">'
    assert get(world.ana, "/pause").html.count(closed) == 2
    answer = post(world.ana, "/pause", {"what": "kind:label", "reason": ""})
    assert 'value="kind:label" checked' in answer.html
    assert 'id="reason-error"' in answer.html
    assert answer.html.count(closed) == 1


def test_without_the_token_nothing_is_paused(world: World) -> None:
    assert post(world.ana, "/pause", {"reason": "r"}, csrf=False).code == 403
    assert standing(world) == []


def test_a_revoked_agent_is_listed_while_something_of_it_is_scheduled(world: World) -> None:
    from webapp.store import agents

    world.db.transact(lambda tx: agents.revoke(tx, "shop"))
    assert 'value="agent:shop"' not in get(world.ana, "/pause").html
    put(world.db, agent="shop", due=HOUR)
    assert "1 scheduled" in choice(world, "agent:shop")
