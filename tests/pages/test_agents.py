"""Agents on their page: tokens shown once, made anew, revoked; and who may change any of it."""

import re

import pytest

from tests.api.world import World, draft
from tests.pages.admin import Answer, get, post
from webapp.services import agents, people, stock
from webapp.web.routes import TABLE, Who

HERE = "/settings/agents"


def token(answer: Answer) -> str:
    found = re.search(r"ud_[\w-]{20,}", answer.html)
    assert found
    return found[0]


def seen(world: World, name: str) -> str:
    return next(str(one.token_at) for one in agents.everyone(world.desk) if one.name == name)


def drafts(world: World, held: str) -> int:
    headers = {"Authorization": f"Bearer {held}"}
    answer = world.app.test_client().post("/api/v1/actions", json=draft(), headers=headers)
    return int(answer.status_code)


def add(world: World, name: str = "bot", scopes: tuple[str, ...] = ("draft", "read")) -> Answer:
    fields = {"name": name, "scopes": list(scopes), "csrf_token": world.ida.csrf}
    answer = world.ida.client.post(HERE, data=fields)
    return Answer(answer.status_code, answer.text, answer.text, "")


def test_a_token_is_shown_once_and_opens_what_was_chosen(world: World) -> None:
    answer = add(world, scopes=("read",))
    assert answer.code == 200
    assert "The token of bot, shown only now." in answer.text
    assert drafts(world, token(answer)) == 403
    page = get(world.ida, HERE)
    assert token(answer) not in page.html
    assert "bot May read; token of" in page.text
    assert "bot added, may read by Ida" in page.text


def test_a_bad_name_loses_nothing(world: World) -> None:
    answer = add(world, "a b", ("read",))
    assert answer.code == 400
    assert 'id="name-error">needs 1 to 100 letters' in answer.html
    assert 'value="read" checked' in answer.html
    assert 'value="draft" checked' not in answer.html.partition("Add one")[2]
    assert "must be some of" in add(world, "bot", ()).html
    assert "there is an agent" in add(world, "returns").html


def test_a_new_token_ends_the_old_one_and_a_repeat_makes_none(world: World) -> None:
    first = token(add(world))
    fields = {"name": "bot", "seen": seen(world, "bot")}
    second = token(post(world.ida, f"{HERE}/rotate", fields))
    assert (drafts(world, first), drafts(world, second)) == (401, 201)
    again = post(world.ida, f"{HERE}/rotate", fields)
    assert again.code == 409
    assert "ud_" not in again.html.replace("ud_csrf", "")
    assert drafts(world, second) == 201
    for odd in ("", "x", "9" * 30):
        assert post(world.ida, f"{HERE}/rotate", fields | {"seen": odd}).code == 409


def test_scopes_change_and_a_revoked_agent_is_out(world: World) -> None:
    held = token(add(world))
    assert drafts(world, held) == 201
    post(world.ida, f"{HERE}/scopes", {"name": "bot", "scopes": "read"})
    assert drafts(world, held) == 403
    assert post(world.ida, f"{HERE}/scopes", {"name": "bot"}).code == 400
    assert post(world.ida, f"{HERE}/revoke", {"name": "bot"}).location == HERE
    assert drafts(world, held) == 401
    assert "bot is revoked" in get(world.ida, HERE).text
    for what in ("revoke", "rotate", "scopes"):
        fields = {"name": "bot", "seen": "1", "scopes": "read"}
        assert post(world.ida, f"{HERE}/{what}", fields).code == 404


def test_revoking_says_that_what_is_scheduled_still_runs(world: World) -> None:
    """Who revokes a token that leaked wants that stopped too: a pause does it, also afterwards."""
    assert drafts(world, token(add(world))) == 201
    page = get(world.ida, HERE)
    assert "What it has scheduled still runs: pausing it stops that" in page.text
    post(world.ida, f"{HERE}/revoke", {"name": "bot"})
    assert re.search(r"bot 1 scheduled, the next due", get(world.ida, "/pause").text)
    assert post(world.ida, "/pause", {"what": "agent:bot", "reason": "leaked"}).code == 303


def test_stock_is_set_and_pauses_are_listed(world: World) -> None:
    assert post(world.ida, "/settings/stock", {"sku": "mug", "available": "7"}).code == 303
    page = get(world.ida, "/settings/stock").text
    assert "mug 7" in page
    assert "mug 7 available by Ida" in page
    wrong = post(world.ida, "/settings/stock", {"sku": "mug", "available": "many"})
    assert wrong.code == 400
    assert "&#39;many&#39; is not a whole number" in wrong.html
    assert [item.available for item in stock.show(world.desk) if item.sku == "mug"] == [7]

    assert "Nothing is paused." in get(world.ida, "/settings/pauses").text
    post(world.ida, "/pause", {"reason": "look first"})
    page = get(world.ida, "/settings/pauses").text
    assert "1 stands now" in page
    assert "everything paused: look first by Ida" in page
    post(world.ida, "/pause/1/end", {})
    assert "everything resumed: look first by Ida" in get(world.ida, "/settings/pauses").text


POSTS = [route.path for route in TABLE if route.method == "POST" and "/settings" in route.path]


@pytest.mark.parametrize("path", POSTS)
def test_every_change_needs_an_admin_and_the_token(world: World, path: str) -> None:
    """Issue 4: CSRF, admin only."""
    before = (world.everything(), agents.everyone(world.desk), people.everyone(world.desk))
    path = path.replace("{kind}", "refund")
    fields = {
        "mode": "off", "version": "0", "person": "1", "role": "admin", "name": "bot",
        "scopes": "read", "seen": "1", "email": "x@example.com", "ref": "c-1", "sku": "s",
        "available": "1",
    }  # fmt: skip
    assert post(world.ana, path, fields).code == 403
    assert post(world.ida, path, fields, csrf=False).code == 403
    stranger = world.app.test_client().post(path, data=fields)
    assert stranger.headers["Location"] == "/login"
    headers = {"Authorization": f"Bearer {world.returns.token}"}
    agent = world.app.test_client().post(path, data=fields, headers=headers)
    assert agent.headers["Location"] == "/login"
    assert before == (
        world.everything(), agents.everyone(world.desk), people.everyone(world.desk),
    )  # fmt: skip
    assert {route.who for route in TABLE if "/settings" in route.path} == {Who.ADMIN}
