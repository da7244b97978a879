"""Who may: every line of the route table, for agents with and without the scope, and for staff."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.world import World, draft
from webapp.domain.states import State
from webapp.store import agents, people
from webapp.web.routes import API, TABLE, Route, Who

ROUTES = [route for route in TABLE if route.path.startswith(API)]
NOBODYS = "01900000-0000-7000-8000-000000000000"


def path_of(route: Route) -> str:
    wanted = NOBODYS if "/actions/" in route.path else "7"
    return route.path.removeprefix(API).replace("{id}", wanted)


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


def is_problem(answer: TestResponse, status: int, code: str) -> bool:
    body = answer.get_json()
    return (
        answer.status_code == status
        and answer.mimetype == "application/problem+json"
        and (body["status"], body["code"]) == (status, code)
        and bool(body["title"] and body["detail"] and body["type"])
    )


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_nobody_is_let_in_without_a_sign_in(still: World, route: Route) -> None:
    client = still.app.test_client()
    for headers in (
        {},
        {"Authorization": "Bearer ud_unknown"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YW5hOnB3"},
        {"Authorization": still.returns.token},
        {"Cookie": "ud_session=unknown"},
        {"Cookie": "ud_session=\x01\xff"},
    ):
        answer = client.open(API + path_of(route), method=route.method, headers=headers)
        assert is_problem(answer, 401, "unauthorized"), (headers, answer.text)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "error" not in client.get(f"{API}/events").headers["WWW-Authenticate"]


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_an_agent_needs_the_scope(world: World, route: Route) -> None:
    others = {"draft", "read", "cancel", "signal"} - {route.scope}
    answer = world.agent("other", ",".join(others)).call(route.method, path_of(route))
    assert is_problem(answer, 403, "forbidden")
    if route.scope is not None:
        alone = world.agent("alone", route.scope).call(route.method, path_of(route))
        assert alone.status_code not in (401, 403)


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_staff_may_but_for_drafting(still: World, route: Route) -> None:
    answer = still.ana.call(route.method, path_of(route))
    if route.who is Who.NO_PERSON:
        assert is_problem(answer, 403, "forbidden")
    else:
        assert answer.status_code not in (401, 403)


@pytest.mark.parametrize("route", [r for r in ROUTES if r.csrf], ids=named)
def test_a_browser_needs_the_csrf_token(still: World, route: Route) -> None:
    for headers in ({"X-CSRFToken": ""}, {"X-CSRFToken": still.ida.csrf}):
        answer = still.ana.call(route.method, path_of(route), headers=headers)
        assert answer.status_code == 403
        assert answer.json["code"] == ("forbidden" if route.who is Who.NO_PERSON else "csrf")


def test_the_token_of_any_page_is_accepted(world: World) -> None:
    """In `<meta name="csrf-token">`, also where the secret was made by that very page."""
    action = world.put(State.SCHEDULED)
    world.ana.client.delete_cookie("ud_csrf")
    page = world.ana.client.get("/api/docs").text
    token = page.partition('name="csrf-token" content="')[2].partition('"')[0]
    headers = {"X-CSRFToken": token}
    answer = world.ana.call("POST", f"/actions/{action['id']}/cancellation", headers=headers)
    assert answer.json["result"] == "cancelled"


def test_a_form_is_no_body_even_with_the_token_in_it(world: World) -> None:
    action = world.put(State.SCHEDULED)
    answer = world.ana.client.post(
        f"{API}/actions/{action['id']}/cancellation",
        data={"csrf_token": world.ana.csrf, "reason": "x"},
    )
    assert is_problem(answer, 415, "unsupported_media_type")
    assert world.look(action["id"]) == action


def test_a_revoked_token_is_unknown(world: World) -> None:
    world.db.transact(lambda tx: agents.revoke(tx, "shop"))
    assert is_problem(world.shop.get("/actions"), 401, "unauthorized")


def test_a_session_that_ended_is_not_believed_when_replayed(world: World) -> None:
    cookie = world.ana.client.get_cookie("ud_session")
    assert cookie
    assert world.ana.get("/actions").status_code == 200
    world.db.transact(lambda tx: people.close_session(tx, cookie.value))
    assert is_problem(world.ana.get("/actions"), 401, "unauthorized")


@pytest.mark.parametrize("call", ["", "cancellation"])
def test_an_agent_finds_only_its_own(world: World, call: str) -> None:
    action = world.returns.draft()
    path = f"/actions/{action['id']}/{call}".rstrip("/")
    method = "POST" if call else "GET"
    assert is_problem(world.shop.call(method, path), 404, "not_found")
    assert world.look(action["id"]) == action


def test_lists_and_events_show_an_agent_only_its_own(world: World) -> None:
    mine, theirs = world.returns.draft(), world.shop.draft()
    assert [one["id"] for one in world.returns.get("/actions").json["items"]] == [mine["id"]]
    assert world.returns.get("/actions?agent=shop").json == {"items": [], "next": None}
    seen = {event["action"] for event in world.shop.get("/events").json["events"]}
    assert seen == {theirs["id"]}


def test_a_token_beats_a_cookie_and_needs_no_csrf(still: World) -> None:
    answer = still.ana.client.post(
        f"{API}/actions", json=draft(), headers={"Authorization": f"Bearer {still.shop.token}"}
    )
    assert answer.status_code == 201
    assert answer.json["agent"] == "shop"


def _scheme(world: World, scheme: str) -> Any:
    headers = {"Authorization": f"{scheme} {world.shop.token}"}
    return world.shop.client.get(f"{API}/actions", headers=headers).status_code


def test_the_scheme_is_read_in_any_case(still: World) -> None:
    """RFC 9110, 11.1."""
    assert [_scheme(still, scheme) for scheme in ("Bearer", "bearer", "BEARER")] == [200] * 3
