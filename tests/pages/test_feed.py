"""The feed's first page, and its buttons as form posts."""

import re
from typing import Any

import pytest

from tests.api.world import Person, World, draft
from webapp.domain.states import State
from webapp.domain.verbs import ALLOWED, Verb, verbs
from webapp.services import screen
from webapp.store.engine import Database

ROW = re.compile(
    r'<li class="action" data-action="([^"]+)" data-state="([^"]+)".*?</li>', re.DOTALL
)


def rows(who: Person) -> dict[str, str]:
    """The feed's rows by id."""
    html = who.client.get("/").text
    return {found[1]: found[0] for found in ROW.finditer(html)}


def press(
    who: Person, action: dict[str, Any], verb: str, *, script: bool = False, **sent: str
) -> Any:
    """The button's post, as a form or as the page's script does it."""
    fields = {"csrf_token": who.csrf, **{k: v for k, v in sent.items() if k == "note"}}
    query = {"version": str(action["version"]), **{k: v for k, v in sent.items() if k != "note"}}
    headers = {"Accept": "application/json"} if script else {"Referer": "http://localhost/"}
    return who.client.post(
        f"/actions/{action['id']}/{verb}", data=fields, query_string=query, headers=headers
    )


@pytest.mark.parametrize("state", State)
def test_a_row_has_the_buttons_that_its_state_allows(world: World, state: State) -> None:
    action = world.put(state)
    html = rows(world.ana)[action["id"]]
    assert f'data-version="{action["version"]}"' in html
    assert set(re.findall(r'data-do="([a-z-]+)"', html)) == set(verbs(state))
    if state is State.EXECUTED:
        assert 'data-compensation="reversal"' in html
    if action["cancel_by"]:
        assert f'data-deadline="{action["cancel_by"]}"' in html
        assert f'data-execute-at="{action["execute_at"]}"' in html


@pytest.mark.parametrize("verb", Verb)
def test_a_button_does_it_and_leads_back_to_the_page(world: World, verb: Verb) -> None:
    state = min(ALLOWED[verb] - {State.EXECUTING}, key=str)
    action = world.put(state)
    sent: Any = {
        Verb.REJECT: {"note": "no"},
        Verb.RESOLVE: {"note": "seen there", "outcome": "happened"},
        Verb.COMPENSATE: {"name": "reversal"},
    }.get(verb, {})
    answer = press(world.ana, action, verb, **sent)
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/"
    changed = world.look(action["id"])
    assert changed["version"] > action["version"] or verb in (Verb.AGAIN, Verb.COMPENSATE)
    assert 'class="notice good"' in world.ana.client.get("/").text


def test_a_lost_race_is_a_normal_answer_with_the_way_back(world: World) -> None:
    action = world.put(State.EXECUTED)
    answer = press(world.ana, action, "cancel", script=True)
    assert answer.status_code == 200
    said = answer.get_json()
    assert said["outcome"] == "too_late"
    [row] = said["rows"]
    assert 'data-outcome="too_late"' in row
    assert 'data-compensation="reversal"' in row
    assert "the cancel by Ana arrived at" in row


def test_a_stale_page_is_told_and_nothing_happens(world: World) -> None:
    action = world.put(State.SCHEDULED)
    world.ana.post(f"/actions/{action['id']}/extension", {"seconds": 60})
    before = world.everything()
    said = press(world.ana, action, "hold", script=True).get_json()
    assert said["outcome"] == "changed"
    assert said["tone"] == "bad"
    assert world.everything() == before


@pytest.mark.parametrize(
    ("verb", "sent"),
    [
        ("cancel", {"version": "x"}),
        ("cancel", {"version": "-1"}),
        ("extend", {"seconds": "soon"}),
        ("extend", {"seconds": "99999999999999999999"}),
        ("reject", {}),
        ("resolve", {"outcome": "perhaps", "note": "x"}),
        ("compensate", {"name": "nothing"}),
        ("nonsense", {}),
    ],
)
def test_bad_input_is_refused_in_words(world: World, verb: str, sent: dict[str, str]) -> None:
    action = world.put(State.SCHEDULED)
    before = world.everything()
    answer = press(world.ana, action, verb, script=True, **sent)
    assert answer.status_code < 500
    said = answer.get_json()
    assert said.get("tone", "bad") == "bad"
    assert said.get("message") or said.get("detail")
    assert world.everything() == before


def test_without_a_token_nothing_happens(world: World) -> None:
    action = world.put(State.SCHEDULED)
    path = f"/actions/{action['id']}/cancel"
    assert world.ana.client.post(path).status_code == 403
    assert world.ana.client.get(path).status_code == 405
    assert world.look(action["id"])["state"] == "scheduled"


def test_the_first_page_of_200_rows_stays_below_200_kb(world: World) -> None:
    for number in range(screen.ROWS + 5):
        body = draft("refund", order=f"B-{20_000 + number}")
        body["customer"] = {"ref": f"c-{number}", "name": "Meera Kumari"}
        body["summary"] = "Book arrived with a torn cover, refunding in full as the policy says."
        world.returns.post("/actions", body)
    page = world.ana.client.get("/")
    assert page.text.count("data-action=") == screen.ROWS
    assert len(page.data) <= 200_000


def test_what_failed_and_what_was_lost_stays_until_somebody_acts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zammad/zammad#1239, freescout-help-desk/freescout#3479: found by luck, days later."""
    failed, lost = world.put(State.FAILED), world.put(State.EXECUTED)
    done = world.put(State.EXECUTED)
    press(world.ana, lost, "cancel")
    monkeypatch.setattr(screen, "ENDED_SHOWN_FOR", -1)
    shown = rows(world.ana)
    assert done["id"] not in shown
    assert "data-needs" in shown[failed["id"]]
    assert "data-needs" in shown[lost["id"]]
    press(world.ana, world.look(failed["id"]), "again")
    press(world.ana, world.look(lost["id"]), "compensate", name="reversal")
    shown = rows(world.ana)
    assert failed["id"] not in shown
    assert lost["id"] not in shown


def test_people_who_wait_do_not_crowd_out_what_is_due(world: World) -> None:
    world.policy("reply", mode="approval")
    for _ in range(screen.ROWS):
        world.returns.draft("reply")
    due = world.returns.draft("refund")
    assert due["id"] in rows(world.ana)


def test_views_are_recorded_for_versions_that_were_there(world: World, database: Database) -> None:
    action = world.put(State.SCHEDULED)
    sent = {"views": [{"id": action["id"], "version": action["version"]}]}
    answer = world.ana.client.post(
        "/feed/views", json=sent, headers={"X-CSRFToken": world.ana.csrf}
    )
    assert answer.status_code == 204
    assert world.look(action["id"])["first_viewed_at"]


@pytest.mark.parametrize("views", [None, "x", [{"id": 1}], [{"id": "a", "version": 0}], [{}] * 501])
def test_bad_views_are_refused(world: World, views: object) -> None:
    answer = world.ana.client.post(
        "/feed/views", json={"views": views}, headers={"X-CSRFToken": world.ana.csrf}
    )
    assert answer.status_code == 400
    assert "/views" in answer.text


@pytest.mark.parametrize("state", State)
def test_an_action_has_its_page_in_every_state(world: World, state: State) -> None:
    action = world.put(state, "reply")
    page = world.ana.client.get(f"/actions/{action['id']}")
    assert page.status_code == 200
    assert "What happened" in page.text
    assert f'data-state="{state}"' in page.text


@pytest.mark.parametrize("action_id", ["nothing", "0195", "%00"])
def test_an_unknown_action_is_a_404(world: World, action_id: str) -> None:
    assert world.ana.client.get(f"/actions/{action_id}").status_code == 404
