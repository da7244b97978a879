"""The customer's button, and what staff read of it."""

import re
from typing import Any

from tests.api.world import World
from tests.pages.customer import look
from webapp.domain.states import State
from webapp.services import status


def path_of(world: World, action_id: str, link: int = 0) -> str:
    return f"/s/{status.token(world.settings, action_id, link)}"


def press(world: World, path: str, **kwargs: Any) -> Any:
    """As a browser does that never was here: no cookie, no token."""
    return world.app.test_client().post(f"{path}/objection", **kwargs)


def test_the_button_holds_and_the_page_says_so(world: World) -> None:
    action_id = world.returns.draft()["id"]
    path, before = path_of(world, action_id), look(world, action_id)
    assert f'method="post" action="{path}/objection"' in before.html
    assert "This isn't right" in before.text
    assert "it will not be sent before our team has looked at it" in before.text
    answer = press(world, path)
    assert (answer.status_code, answer.headers["Location"]) == (303, path)
    assert "Set-Cookie" not in answer.headers
    page = look(world, action_id)
    assert page.status == "held"
    assert "You told us that this isn't right." in page.text
    assert "Our team sees that before anything is sent." in page.text
    assert "<form" not in page.html
    assert world.look(action_id)["state"] == "held"


def test_too_late_it_says_so_and_does_not_say_that_it_stopped_anything(world: World) -> None:
    action_id = world.put(State.EXECUTED)["id"]
    assert "It is too late to stop it" in look(world, action_id).text
    assert press(world, path_of(world, action_id)).status_code == 303
    page = look(world, action_id)
    assert page.status == "done"
    assert "It was too late to stop it, but our team can see what you said." in page.text
    assert "<form" not in page.html


def test_staff_read_it_on_the_row_and_in_the_timeline(world: World) -> None:
    held, done = world.put(State.SCHEDULED)["id"], world.put(State.EXECUTED)["id"]
    for one in (held, done):
        press(world, path_of(world, one))
    feed = world.ana.client.get("/").text
    parts = [re.split(f'<li[^>]*data-action="{one}"', feed)[1] for one in (held, done)]
    stopped, late = (part.partition("</li>")[0] for part in parts)
    assert "The customer says this isn&#39;t right" in stopped
    assert "by the customer" in stopped
    assert "the customer said that it isn't right" in late
    assert "data-needs" in late, "somebody should look at it"
    assert 'data-do="compensate"' in late, "and the way back is at hand"
    story = world.ana.client.get(f"/actions/{done}").text
    assert "the customer said that it isn&#39;t right" in story
    assert "held by the customer" in world.ana.client.get(f"/actions/{held}").text


def test_looking_never_objects(world: World) -> None:
    """CASES, activepieces#14024: a mail scanner's GET approved it."""
    path = path_of(world, world.returns.draft()["id"])
    before = world.everything()
    client = world.app.test_client()
    for method in ("get", "head"):
        assert getattr(client, method)(f"{path}/objection").status_code == 404
    assert world.everything() == before


def test_a_link_that_is_not_valid_objects_to_nothing(world: World) -> None:
    action_id = world.returns.draft()["id"]
    before = world.everything()
    for bad in ("/s/x", "/s/", f"{path_of(world, action_id)}x", path_of(world, action_id, 1)):
        assert press(world, bad).status_code == 404
    assert world.everything() == before


def test_who_does_not_want_reloads_is_not_given_them_by_the_button(world: World) -> None:
    action_id = world.returns.draft()["id"]
    path = path_of(world, action_id)
    page = world.app.test_client().get(f"{path}?refresh=off").text
    assert f'action="{path}/objection?refresh=off"' in page
    answer = press(world, path, query_string="refresh=off")
    assert answer.headers["Location"] == f"{path}?refresh=off"


HINDI = {"ref": "c-1", "locale": "hi-IN", "timezone": "Asia/Kolkata"}


LANGUAGES: list[tuple[dict[str, str], str, str, str]] = [
    (HINDI, "en", "hi-IN", "समय तय है"),
    ({"ref": "c"}, "hi;q=0.8, de", "hi", "समय तय है"),
    ({"ref": "c", "locale": "de-DE"}, "hi-IN", "hi-IN", "समय तय है"),
    ({"ref": "c", "locale": "en-GB"}, "hi", "en-GB", "Scheduled"),
    ({"ref": "c"}, "hi;q=0", "en", "Scheduled"),
    ({"ref": "c"}, "de", "en", "Scheduled"),
]


def test_the_language_is_the_customers_then_the_browsers(world: World) -> None:
    for customer, accept, tag, heading in LANGUAGES:
        path = path_of(world, world.returns.draft(customer=customer)["id"])
        page = world.app.test_client().get(path, headers={"Accept-Language": accept}).text
        assert f'<html lang="{tag}" dir="ltr">' in page
        assert f"<h1>{heading}</h1>" in page
        assert "{" not in page.partition("<body>")[2]


def test_a_page_in_hindi_is_all_in_hindi(world: World) -> None:
    """Before and after the customer's word, and when it is done; but for the zone's short name."""
    action_id = world.returns.draft(customer=HINDI)["id"]
    pages = [look(world, action_id)]
    press(world, path_of(world, action_id))
    pages.append(look(world, action_id))
    world.ana.post(f"/actions/{action_id}/release")
    world.run(action_id, State.EXECUTED)
    pages.append(look(world, action_id))
    assert [page.status for page in pages] == ["scheduled", "held", "done"]
    for page in pages:
        assert set(re.findall("[A-Za-z]{2,}", page.text)) == {"IST"}, page.text
    missing = world.app.test_client().get("/s/x", headers={"Accept-Language": "hi-IN"}).text
    assert "<h1>यह लिंक काम नहीं कर रहा है</h1>" in missing
