"""A kind's page: what it would do before it is saved, and its versions."""

from html import unescape

from tests.api.world import World
from tests.pages.admin import form, get, policy, post
from webapp.services import versions


def preview(world: World, kind: str, **values: str) -> str:
    """The preview alone, as the form's script asks for it."""
    fields = form(world.ida, kind) | values
    answer = world.ida.client.post(
        f"/settings/{kind}/preview?part=1", data={**fields, "csrf_token": world.ida.csrf}
    )
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith("<section")
    return unescape(answer.text)


def test_a_preview_shows_what_was_entered_and_saves_nothing(world: World) -> None:
    """Without JavaScript: the whole page, with all that was entered."""
    before = policy(world, "refund")
    fields = form(world.ida, "refund") | {"window_seconds": "30", "approval_above": "500000:INR"}
    page = post(world.ida, "/settings/refund/preview", fields)
    assert page.code == 200
    assert "With what you entered, not saved yet" in page.text
    assert "A refund of 5,000.00 INR runs after 30 s, unless somebody cancels." in page.text
    assert "A refund of 5,000.01 INR waits for approval." in page.text
    assert "for a flagged customer waits for approval. flagged customer" in page.text
    assert 'name="window_seconds" value="30"' in page.html
    assert f'name="seen" value="{fields["seen"]}"' in page.html
    assert "Nothing is saved" not in page.text
    assert policy(world, "refund") == before
    assert "By example" in get(world.ida, "/settings/refund").text


def test_the_part_that_follows_the_form(world: World) -> None:
    """The same as on the page; a wrong value is named, and is no error of the console's."""
    assert "runs after 30 s" in preview(world, "refund", window_seconds="30")
    assert "By example" in preview(world, "refund")
    assert "Window: Input should be" in preview(world, "refund", window_seconds="x<b>")
    label = preview(world, "label", mode="window")
    assert "It is easy to take back (“Void the label”)" in label
    assert "The customer waits for it" in label
    eyes = preview(world, "refund", mode="immediate", needs_eyes="yes")
    assert "is held for a person: at once is before anybody can see it." in eyes
    assert "runs at once" not in eyes
    webhook = preview(world, "webhook", mode="immediate", allow_no_undo="yes")
    assert "A webhook without an undo runs at once, and nobody has time to cancel." in webhook
    assert "cannot be taken back at all" in webhook


def test_a_version_is_put_back_from_the_page(world: World) -> None:
    """Issue 4, 7: who changed what when, and restore."""
    world.policy("refund", window_seconds="60")
    first = versions.changes(world.desk, 1, "refund")[0].id
    world.policy("refund", window_seconds="900", mode="approval")
    fields = {"version": str(first), "seen": form(world.ida, "refund")["seen"]}
    answer = post(world.ida, "/settings/refund/restore", fields)
    assert (answer.code, answer.location) == (303, "/settings/refund")
    page = get(world.ida, "/settings/refund").text
    assert "Restored. A refund runs 1 min after drafting" in page
    assert f"by Ida restored version {first}: Mode approval → window" in page
    assert policy(world, "refund")["window_seconds"] == 60

    stale = post(world.ida, "/settings/refund/restore", fields)
    assert stale.code == 409
    assert "Ida changed this while you were here" in stale.text
    for odd in ("", "x", "²", "-1", "9" * 30, "9" * 5000, "1000000"):
        assert post(world.ida, "/settings/refund/restore", {"version": odd}).code == 404
    assert post(world.ida, "/settings/refund/restore", {"version": "0"}).code == 303
    assert "by Ida restored the defaults:" in get(world.ida, "/settings/refund").text
    assert policy(world, "refund")["mode"] == "approval"


def test_there_is_nothing_to_preview_or_restore_of_what_is_no_kind(world: World) -> None:
    for what in ("preview", "restore"):
        assert post(world.ida, f"/settings/nothing/{what}", {"version": "0"}).code == 404
