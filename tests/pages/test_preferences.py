"""What a person chooses holds for their pages alone, and a bad value loses nothing."""

from tests.api.world import World
from tests.pages.admin import get, post
from webapp.domain.times import SECOND, from_rfc3339
from webapp.services import preferences
from webapp.store import people
from webapp.store import preferences as kept

HERE = "/preferences"
CHOSEN = {"zone": "Asia/Kolkata", "density": "compact", "more_time": "10", "notify": "on"}


def _html(world: World) -> str:
    return get(world.ana, "/").html.partition("<head>")[0]


def test_who_has_chosen_nothing_has_the_defaults(world: World) -> None:
    html = _html(world)
    assert 'data-density="comfortable" data-keys="on" data-more-time="1"' in html
    assert "data-zone" not in html
    assert "data-notify" not in html
    assert 'href="/preferences"' in get(world.ana, "/").html


def test_what_is_chosen_stands_on_every_page_and_nobody_elses_changes(world: World) -> None:
    action_id = world.returns.draft()["id"]
    answer = post(world.ana, HERE, CHOSEN)
    assert (answer.code, answer.location) == (303, HERE)
    assert (
        'data-density="compact" data-keys="off" data-more-time="10" '
        'data-zone="Asia/Kolkata" data-notify' in _html(world)
    )
    assert 'data-density="comfortable"' in get(world.ida, "/").html
    chosen = preferences.of(world.desk, _ana(world))
    assert (chosen.zone, chosen.keys, chosen.extension_seconds) == ("Asia/Kolkata", False, 600)

    # the server writes times in it: on the row, in the timeline, and after a button
    for path in ("/", f"/actions/{action_id}", "/feed/rows"):
        html = get(world.ana, path).html
        assert " IST<" in html, path
        assert " UTC<" not in html, path
        assert " UTC<" in get(world.ida, path).html, path
    form = get(world.ana, HERE).html
    assert 'value="Asia/Kolkata"' in form
    assert 'value="10" checked' in form
    assert 'name="keys">' in form
    assert 'name="notify" checked' in form

    assert post(world.ana, HERE, {"keys": "on"}).code == 303
    assert 'data-density="comfortable" data-keys="on" data-more-time="1">' in _html(world)


def test_who_needs_more_time_gets_it_without_scripts(world: World) -> None:
    """WCAG 2.2.1: the same button, by a form, and as often as anybody may."""
    action_id = world.returns.draft()["id"]
    post(world.ana, HERE, CHOSEN)
    for who, seconds in ((world.ida, 60), (world.ana, 600), (world.ana, 600)):
        before = from_rfc3339(world.look(action_id)["execute_at"])
        assert post(who, f"/actions/{action_id}/extend", {}).code == 303
        assert from_rfc3339(world.look(action_id)["execute_at"]) - before == seconds * SECOND


def test_a_bad_value_is_named_and_nothing_is_lost(world: World) -> None:
    post(world.ana, HERE, CHOSEN)
    for key, value in (
        ("zone", "Mars/Base"),
        ("zone", "../../etc/passwd"),
        ("zone", "<script>alert(1)</script>"),
        ("density", "loose"),
        ("more_time", "3"),
        ("more_time", "²"),
    ):
        answer = post(world.ana, HERE, CHOSEN | {key: value})
        assert answer.code == 400
        assert f'id="{key}-error"' in answer.html
        assert "<script>alert" not in answer.html
        assert "Nothing is saved." in answer.text
        assert "compact" in answer.html
    assert preferences.of(world.desk, _ana(world)).zone == "Asia/Kolkata"
    assert post(world.ana, HERE, CHOSEN | {"density": "comfortable"}, csrf=False).code == 403


def test_a_zone_that_is_known_no_more_locks_nobody_out(world: World) -> None:
    """The table of zones comes with the system: a newer one may lack a name."""
    body = {"zone": "Moon/Tranquility", "keys": False}
    world.desk.db.transact(lambda tx: kept.write(tx, _ana(world), body))
    assert get(world.ana, "/").code == 200
    assert get(world.ana, HERE).code == 200


def _ana(world: World) -> int:
    with world.desk.db.read() as tx:
        found = people.by_email(tx, world.ana.email)
    assert found is not None
    return found[0].id
