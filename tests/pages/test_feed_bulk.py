"""One press for several actions of the feed: each answers for itself, a repeat answers the same."""

import re
from typing import Any

import pytest

from tests.api.world import Person, World
from webapp.domain.errors import Unavailable
from webapp.domain.states import State
from webapp.domain.verbs import Verb
from webapp.web.pages import feed_bulk

GONE = "0195aaaa-0000-7000-8000-000000000000"


def bulk(who: Person, body: dict[str, Any], key: str | None = None) -> Any:
    headers = {"X-CSRFToken": who.csrf} | ({"Idempotency-Key": key} if key else {})
    return who.client.post("/feed/bulk", json=body, headers=headers)


def rows(*actions: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": one["id"], "version": one["version"]} for one in actions]


def outcomes(told: dict[str, Any]) -> list[str]:
    return [one["outcome"] for one in told["results"]]


def test_each_row_has_its_own_result_and_the_sum_says_how_many(world: World) -> None:
    """tinyhumansai/opencompany#1713: bulk decisions without per-row results."""
    open_ones = [world.returns.draft() for _ in range(3)]
    running, held = world.put(State.EXECUTING), world.put(State.HELD)
    stale = world.returns.draft()
    world.ana.post(f"/actions/{stale['id']}/extension", {"seconds": 60})
    body = {
        "verb": "cancel",
        "rows": [*rows(*open_ones, running, held, stale), {"id": GONE, "version": 1}],
    }
    told = bulk(world.ana, body).get_json()
    assert outcomes(told) == [*["cancelled"] * 3, "too_late", "cancelled", "changed", "not_found"]
    assert told["counts"] == {"cancelled": 4, "too_late": 1, "changed": 1, "not_found": 1}
    assert told["message"] == "4 cancelled, 1 too late, 1 changed meanwhile, 1 not found"
    assert [one["good"] for one in told["results"]] == [True, True, True, False, True, False, False]
    assert 'data-state="cancelled"' in told["results"][0]["html"]
    assert 'data-outcome="too_late"' in told["results"][3]["html"]
    assert f'data-version="{stale["version"] + 1}"' in told["results"][5]["html"]
    assert told["results"][6]["html"] == ""
    assert world.look(stale["id"])["state"] == "scheduled"


def test_what_waits_already_is_not_summed_up_as_too_late(world: World) -> None:
    """Beside one that is late the sum would frighten for nothing."""
    scheduled, held, running = map(world.put, (State.SCHEDULED, State.HELD, State.EXECUTING))
    told = bulk(world.ana, {"verb": "hold", "rows": rows(scheduled, held, running)}).get_json()
    assert outcomes(told) == ["held", "wrong_state", "too_late"]
    assert told["message"] == "1 held, 1 refused, 1 too late"


def test_a_repeat_with_its_key_answers_the_same_and_does_nothing_twice(world: World) -> None:
    """Promise 9. The first answer was lost; the versions are those that were on screen then."""
    for verb in ("cancel", "hold", "extend", "approve", "run-now"):
        _repeat(world, verb)


def _repeat(world: World, verb: str) -> None:
    state = State.AWAITING_APPROVAL if verb == "approve" else State.SCHEDULED
    chosen = [world.put(state) for _ in range(3)]
    body = {"verb": verb, "rows": rows(*chosen)}
    first = bulk(world.ana, body, f"{verb}-1").get_json()
    assert all(one["good"] for one in first["results"])
    before = world.everything()
    again = bulk(world.ana, body, f"{verb}-1").get_json()
    assert again["message"] == first["message"]
    assert world.everything() == before
    other = bulk(world.ana, body, f"{verb}-2").get_json()
    assert outcomes(other) != outcomes(first), "another press is another question"
    assert not any(
        one["outcome"] == outcomes(first)[0]
        for one in bulk(world.ida, body, f"{verb}-1").get_json()["results"]
    )


@pytest.mark.parametrize(
    ("verb", "state", "outcome", "after"),
    [
        ("hold", State.SCHEDULED, "held", "held"),
        ("release", State.HELD, "released", "scheduled"),
        ("reject", State.AWAITING_APPROVAL, "rejected", "rejected"),
        ("again", State.CANCELLED, "again", "cancelled"),
        ("compensate", State.EXECUTED, "compensation", "executed"),
    ],
)
def test_every_verb_that_makes_sense_for_several(
    world: World, verb: str, state: State, outcome: str, after: str
) -> None:
    chosen = [world.put(state) for _ in range(2)]
    told = bulk(world.ana, {"verb": verb, "rows": rows(*chosen), "reason": "so"}).get_json()
    assert outcomes(told) == [outcome] * 2
    assert [world.look(one["id"])["state"] for one in chosen] == [after] * 2
    drafted = verb in ("again", "compensate")
    assert all(("data-action=" in one["created"]) is drafted for one in told["results"])


def test_all_that_match_are_stopped_and_never_let_through(world: World) -> None:
    """What stops may be done unseen; what lets something happen needs what was looked at."""
    refunds = [world.returns.draft() for _ in range(3)]
    running, reply = world.put(State.EXECUTING), world.returns.draft("reply")
    told = bulk(world.ana, {"verb": "cancel", "filter": "kind=refund", "seen": 3}).get_json()
    assert sorted(outcomes(told)) == ["cancelled"] * 3 + ["too_late"]
    assert told["message"] == "3 cancelled, 1 too late, some of which came meanwhile"
    assert {one["id"] for one in told["results"]} == {one["id"] for one in (*refunds, running)}
    assert world.look(reply["id"])["state"] == "scheduled"
    for verb in Verb:
        body = {"verb": verb, "filter": "", "reason": "x"}
        if verb not in feed_bulk.STOPS:
            assert bulk(world.ana, body).status_code == 400
    assert world.look(reply["id"])["state"] == "scheduled"


def test_what_is_beyond_one_call_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_bulk, "AT_MOST", 2)
    for _ in range(5):
        world.returns.draft()
    told = bulk(world.ana, {"verb": "hold", "filter": "", "seen": 5}).get_json()
    assert (len(told["results"]), told["left"]) == (2, 3)
    assert told["message"] == "2 held; 3 more match"


def test_once_the_desk_cannot_decide_no_more_are_tried(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [world.returns.draft() for _ in range(3)]
    tried: list[str] = []

    def down(_verb: Verb, _desk: Any, _caller: Any, asked: Any) -> None:
        tried.append(asked.action_id)
        raise Unavailable("The disk is full.")

    monkeypatch.setattr("webapp.web.pages.bulk.press", down)
    told = bulk(world.ana, {"verb": "cancel", "rows": rows(*chosen)}).get_json()
    assert outcomes(told) == ["unavailable"] * 3
    assert tried == [chosen[0]["id"]]


BAD: list[Any] = [
    {},
    {"verb": "cancel"},
    {"verb": "resolve", "rows": []},
    {"verb": "nonsense", "rows": []},
    {"verb": "cancel", "rows": [], "filter": ""},
    {"verb": "cancel", "rows": [{"id": "x"}]},
    {"verb": "cancel", "rows": [{"id": "x", "version": 1}] * 501},
    {"verb": "cancel", "filter": "min=ten"},
    {"verb": "reject", "rows": []},
    {"verb": "extend", "rows": [], "seconds": 0},
    {"verb": "cancel", "rows": [], "more": 1},
    [],
]


def test_what_is_not_understood_is_refused_by_name(world: World) -> None:
    world.returns.draft()
    before = world.everything()
    for body in BAD:
        answer = bulk(world.ana, body)
        assert answer.status_code == 400, body
        assert answer.get_json()["errors"]
    assert world.everything() == before


def test_only_people_with_the_token_may(world: World) -> None:
    body = {"verb": "cancel", "rows": rows(world.returns.draft())}
    assert world.ana.client.post("/feed/bulk", json=body).status_code == 403
    assert world.app.test_client().post("/feed/bulk", json=body).status_code in (302, 303, 401)
    before = world.everything()
    assert world.ana.client.get("/feed/bulk").status_code == 405
    assert world.everything() == before


def test_without_scripts_the_refused_stay_selected_with_their_reason(world: World) -> None:
    """`/?select=yes` has checkboxes; the answer is the same feed, narrowed as it was."""
    done, running = world.returns.draft(), world.put(State.EXECUTING)
    world.returns.draft("reply")
    html = world.ana.client.get("/?kind=refund&select=yes").text
    assert html.count('name="pick"') == 2
    assert 'name="shown" value="kind=refund"' in html
    assert 'name="pick"' not in world.ana.client.get("/").text
    fields = {
        "csrf_token": world.ana.csrf,
        "shown": "kind=refund",
        "pick": [f"{one['id']}:{one['version']}" for one in (done, running)],
    }
    answer = world.ana.client.post("/feed/bulk", data={**fields, "do": "cancel"})
    assert answer.status_code == 200
    assert "1 cancelled, 1 too late." in answer.text
    assert re.findall(r'value="([^":]+):\d+" checked', answer.text) == [running["id"]]
    assert re.search(r'<p class="answer">Too late by .*?: it had begun', answer.text)
    assert 'data-filter="kind=refund"' in answer.text
    for more, code in (
        ({"do": "reject"}, 400),
        ({"do": "resolve"}, 400),
        ({"do": "hold", "pick": []}, 400),
    ):
        assert world.ana.client.post("/feed/bulk", data={**fields, **more}).status_code == code


def test_what_was_to_run_after_another_is_not_repeated_alone(world: World) -> None:
    """A mail that says "your refund is done" must not go out because the refund was cancelled."""
    refund = world.returns.draft()
    reply = world.returns.draft("reply", depends_on=[refund["id"]])
    world.ana.post(f"/actions/{refund['id']}/cancellation")
    html = world.ana.client.get("/?state=cancelled").text
    row = dict(re.findall(r'(?s)<li class="action" data-action="([^"]+)"(.*?)</li>', html))
    assert 'data-do="again"' in row[refund["id"]]
    assert 'data-do="again"' not in row[reply["id"]]
    assert "so it is not scheduled again alone" in row[reply["id"]]
    chosen = rows(world.look(reply["id"]), world.look(refund["id"]))
    told = bulk(world.ana, {"verb": "again", "rows": chosen}).get_json()
    assert outcomes(told) == ["dependency_not_live", "again"]
    assert told["message"] == "1 scheduled again, 1 refused"


def test_an_extension_gives_what_there_is_up_to_the_limit(world: World) -> None:
    """WCAG 2.2.1: who asks for ten times as long is not refused the last minutes."""
    action = world.returns.draft()
    said = []
    for seconds in (3_600, 1_800, 3_600, 60):
        body = {"verb": "extend", "rows": rows(world.look(action["id"])), "seconds": seconds}
        said.append(bulk(world.ana, body).get_json()["results"][0]["message"])
    assert said[:3] == ["3600 s more.", "1800 s more.", "600 s more."], "ten windows of 600 s"
    assert said[3].startswith("It was extended by 6000 s before")
