"""A customer's link ends, by time or by a person's hand: then nobody can tell that it was."""

import re

from sqlalchemy import update

from tests.api.world import World
from tests.pages.customer import get, look
from webapp.domain.states import TERMINAL, State
from webapp.domain.times import SECOND
from webapp.services import prune, status
from webapp.store.schema import action as table

DAY = 86_400 * SECOND


def token(world: World, action_id: str, link: int = 0) -> str:
    return f"/s/{status.token(world.settings, action_id, link)}"


def ago(world: World, action_id: str, days: float) -> None:
    """It was drafted and finished `days` ago."""
    then = world.desk.now() - int(days * DAY)
    move = update(table).where(table.c.id == action_id).values(drafted_at=then, finished_at=then)
    world.db.transact(lambda tx: tx.conn.execute(move))


def take_back(world: World, action_id: str, link: int = 0) -> str:
    """What the page says after the button."""
    form = {"csrf_token": world.ana.csrf, "link": str(link)}
    answer = world.ana.client.post(f"/actions/{action_id}/link", data=form, follow_redirects=True)
    assert answer.status_code == 200
    return str(answer.text)


def test_a_link_ends_some_time_after_its_action(world: World) -> None:
    """UNDO_DESK_STATUS_LINK_DAYS, 90 unless set."""
    for state in (State.EXECUTED, State.CANCELLED, State.REJECTED, State.FAILED):
        one = world.put(state)["id"]
        ago(world, one, 89.9)
        assert look(world, one).code == 200
        ago(world, one, 90)
        assert look(world, one).code == 404
        assert f'value="http://localhost{token(world, one)}"' not in story(world, one)
        assert "It ended at" in story(world, one)


def test_what_is_open_never_ends(world: World) -> None:
    for state in set(State) - TERMINAL:
        one = world.put(state)["id"]
        move = update(table).where(table.c.id == one).values(drafted_at=0)
        world.db.transact(lambda tx, move=move: tx.conn.execute(move))  # type: ignore[misc]
        assert look(world, one).code == 200


def test_unknown_ended_and_taken_back_look_alike(world: World) -> None:
    """Byte for byte, headers too: the answer says nothing of what there was."""
    ended, gone, pruned = (world.put(State.EXECUTED)["id"] for _ in range(3))
    ago(world, ended, 91)
    take_back(world, gone)
    ago(world, pruned, 401)
    assert prune.prune(world.desk) == 1
    paths = [token(world, ended), token(world, gone), token(world, pruned), "/s/x"]
    paths.append(token(world, gone, 2))
    pages = [get(world, path) for path in paths]
    assert {page.code for page in pages} == {404}
    assert len({page.html for page in pages}) == 1
    assert len({str(sorted(page.headers.items())) for page in pages}) == 1


def test_staff_take_a_link_back_and_get_a_new_one(world: World) -> None:
    made = world.returns.draft()
    one = made["id"]
    assert made["status_url"] in story(world, one)
    page = take_back(world, one)
    assert "The link that the customer had leads nowhere now." in page
    after = world.look(one)
    assert after["status_url"] != made["status_url"]
    assert after["status_url"] in page
    assert made["status_url"] not in page
    assert get(world, made["status_url"].removeprefix("http://localhost")).code == 404
    assert get(world, after["status_url"].removeprefix("http://localhost")).code == 200
    assert after["version"] == made["version"] + 1
    assert after["state"] == made["state"]
    assert "customer&#39;s link taken back by Ana, who made a new one" in page


def test_two_who_take_the_same_link_back_leave_one_new_one(world: World) -> None:
    """The second would otherwise end the link that the first has just sent."""
    one = world.returns.draft()["id"]
    take_back(world, one)
    new = world.look(one)["status_url"]
    assert "Somebody had taken that link back already" in take_back(world, one)
    assert world.look(one)["status_url"] == new
    take_back(world, one, 1)
    assert world.look(one)["status_url"] != new


def test_what_decided_its_fate_stays_on_the_page(world: World) -> None:
    """Taking a link back is no step in the action's life. Promise 15."""
    one = world.put(State.AWAITING_APPROVAL)["id"]
    world.ana.post(f"/actions/{one}/cancellation")
    assert "before anybody approved it" in take_back(world, one)


def test_a_link_is_no_number_it_says_so(world: World) -> None:
    one = world.returns.draft()["id"]
    for bad in ("", "x", "-1", "٣"):
        form = {"csrf_token": world.ana.csrf, "link": bad}
        answer = world.ana.client.post(f"/actions/{one}/link", data=form)
        assert answer.status_code == 400
    gone = world.ana.client.post(f"/actions/{one[:-4]}0000/link", data={**form, "link": "0"})
    assert gone.status_code == 404
    assert world.ana.client.post(f"/actions/{one}/link", data={"link": "0"}).status_code == 403


def story(world: World, action_id: str) -> str:
    page = str(world.ana.client.get(f"/actions/{action_id}").text)
    assert re.search(r"<h2>The customer's link</h2>", page)
    return page
