"""People on their page: added, promoted, gone; and the link by which they set a password."""

import re

import pytest
from argon2 import PasswordHasher

from tests.api.world import Person, World, csrf_token
from tests.pages.admin import Answer, get, post
from webapp.services import people, sign_in

HERE = "/settings/people"
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real argon2id with little work."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(sign_in, "_hasher", quick)
    return


def number(world: World, email: str) -> str:
    return next(str(one.id) for one in people.everyone(world.desk) if one.email == email)


def link(answer: Answer) -> str:
    found = re.search(r"http://localhost(/welcome/[\w-]+)", answer.html)
    assert found
    return found[1]


def newcomer(world: World) -> Person:
    client = world.app.test_client()
    return Person("bo@example.com", client, csrf_token(world.app, client, "bo"))


def test_somebody_is_added_and_sets_a_password(world: World) -> None:
    fields = {"email": "bo@example.com", "name": "Bo", "role": "admin"}
    added = post(world.ida, HERE, fields)
    assert added.code == 200
    assert "For bo@example.com: shown only now." in added.text
    path = link(added)
    page = get(world.ida, HERE)
    assert path not in page.html
    assert "Bo bo@example.com Admin: has not set a password yet" in page.text
    assert "bo@example.com added as admin by Ida" in page.text

    bo = newcomer(world)
    assert "For Bo , bo@example.com" in get(bo, path).text
    # looking, and looking again, changes nothing: mail programs do it too
    assert get(bo, path).code == 200
    wrong = post(bo, path, {"password": PASSWORD, "again": "other"})
    assert wrong.code == 400
    assert "is not the same as above" in wrong.text
    short = post(bo, path, {"password": "short", "again": "short"})
    assert "needs 12 to 500 characters" in short.text
    assert post(bo, path, {"password": PASSWORD, "again": PASSWORD}, csrf=False).code == 403
    done = post(bo, path, {"password": PASSWORD, "again": PASSWORD})
    assert (done.code, done.location) == (303, "/")
    assert get(bo, HERE).code == 200

    over = get(newcomer(world), path)
    assert over.code == 404
    assert "ask an admin for a new one" in over.text
    for odd in ("nothing", "%00", "a" * 3_000):
        assert get(bo, f"/welcome/{odd}").code == 404
        twice = {"password": PASSWORD, "again": PASSWORD}
        assert post(newcomer(world), f"/welcome/{odd}", twice).code == 404


def test_what_was_entered_is_kept_where_it_is_refused(world: World) -> None:
    fields = {"email": "ana@example.com", "name": "A<b>", "role": "admin"}
    answer = post(world.ida, HERE, fields)
    assert answer.code == 400
    assert 'id="email-error">ana@example.com is taken' in answer.html
    assert 'value="A&lt;b&gt;"' in answer.html
    assert '<option value="admin" selected>' in answer.html
    assert post(world.ida, HERE, {}).code == 400


def test_who_is_deactivated_is_out_at_once(world: World) -> None:
    assert get(world.ana, "/").code == 200
    fields = {"person": number(world, "ana@example.com")}
    assert post(world.ida, f"{HERE}/deactivate", fields).location == HERE
    assert get(world.ana, "/").location.startswith("/login")
    page = get(world.ida, HERE).text
    assert "Ana may not sign in any more, and is signed out everywhere." in page
    assert "Staff: may not sign in since" in page
    assert post(world.ida, f"{HERE}/link", fields).code == 400
    post(world.ida, f"{HERE}/activate", fields)
    assert "Ana may sign in again." in get(world.ida, HERE).text


def test_a_role_changes_what_one_may_at_once(world: World) -> None:
    fields = {"person": number(world, "ana@example.com"), "role": "admin"}
    assert get(world.ana, HERE).code == 403
    post(world.ida, f"{HERE}/role", fields)
    assert get(world.ana, HERE).code == 200
    mine = {"person": number(world, "ida@example.com"), "role": "staff"}
    assert post(world.ida, f"{HERE}/role", mine).location == "/"
    assert get(world.ida, HERE).code == 403
    assert post(world.ana, f"{HERE}/role", {"person": fields["person"], "role": "x"}).code == 400


def test_the_last_admin_stays(world: World) -> None:
    mine = {"person": number(world, "ida@example.com")}
    for path, more in (("role", {"role": "staff"}), ("deactivate", {})):
        answer = post(world.ida, f"{HERE}/{path}", mine | more)
        assert answer.code == 400
        assert "ida@example.com is the last admin who can sign in" in answer.text
    assert get(world.ida, HERE).code == 200


def test_another_link_is_shown_once(world: World) -> None:
    fields = {"person": number(world, "ana@example.com")}
    first, second = (link(post(world.ida, f"{HERE}/link", fields)) for _ in range(2))
    assert get(newcomer(world), first).code == 404
    assert get(newcomer(world), second).code == 200


@pytest.mark.parametrize("person", ["", "0", "x", "²", "-1", "999", "9" * 40])
def test_nobody_is_changed_who_is_not_there(world: World, person: str) -> None:
    for what in ("link", "role", "deactivate", "activate"):
        fields = {"person": person, "role": "staff"}
        assert post(world.ida, f"{HERE}/{what}", fields).code == 404
