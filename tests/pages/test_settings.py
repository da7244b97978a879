"""The settings page: the command's validation and words, nothing lost, nothing overwritten."""

import re
import shlex
from html import escape, unescape

import pytest

from tests.api.world import World
from tests.pages.admin import form, get, policy, post
from webapp.domain.errors import Invalid
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy, default_policy
from webapp.domain.states import State
from webapp.services import settings

SETTINGS_PAGES = (
    *("/settings/", "/settings/people", "/settings/agents", "/settings/stock"),
    *("/settings/customers", "/settings/pauses", "/settings/sandbox", "/settings/refund"),
)


def test_saving_says_what_it_now_means(world: World) -> None:
    fields = form(world.ida, "refund") | {
        "mode": "window",
        "window_seconds": " 300 ",
        "approval_above": "500000:INR",
    }
    answer = post(world.ida, "/settings/refund", fields)
    assert (answer.code, answer.location) == (303, "/settings/refund")
    sentence = (
        "A refund up to 5,000.00 INR runs 5 min after drafting, unless somebody cancels; "
        "above it waits for approval."
    )
    page = get(world.ida, "/settings/refund")
    assert f"Saved. {sentence}" in page.text
    assert policy(world, "refund")["approval_above"] == "500000:INR"
    overview = get(world.ida, "/settings/").text
    assert sentence in overview
    assert "by Ida: Window 10 min → 5 min" in overview
    assert "Approval above none → 5,000.00 INR" in overview


def test_the_command_says_all_of_the_row(world: World) -> None:
    """On another desk it must not leave out what keeps an action from running by itself."""
    world.policy("refund", approval_above="500000:INR", desk_hours="Mon-Fri 09:00-18:00")
    html = unescape(get(world.ida, "/settings/refund").html)
    found = re.search(r'class="command">undo-desk settings set refund (.*?)</pre>', html, re.DOTALL)
    assert found
    said = shlex.split(found[1].replace("\\\n", " "))
    assert {"mode=window", "approval_above=500000:INR"} <= {*said}
    assert "desk_hours=Mon-Fri 09:00-18:00" in said
    values = dict(pair.split("=", 1) for pair in said)
    before = policy(world, "refund")
    row = default_policy("refund").model_dump(mode="json") | values
    assert Policy.model_validate(row).model_dump(mode="json") == before


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_of_every_kind_saves_what_it_shows(world: World, kind: str) -> None:
    before = policy(world, kind)
    assert post(world.ida, f"/settings/{kind}", form(world.ida, kind)).code == 303
    assert policy(world, kind) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("desk_hours", "Mon-Fri nine to five"),
        ("desk_hours", "Mon 22:00-06:00"),
        ("burst", "20 a minute"),
        ("burst", "0/60"),
        ("spend", "5:INR"),
        ("spend", "5:XXQ/60"),
        ("first_of_kind", "long_window"),
        ("likely_duplicate", "<b>"),
        ("mode", "sometimes"),
        ("mode", ""),
        ("window_seconds", "-1"),
        ("window_seconds", "604801"),
        ("window_seconds", "five"),
        ("window_seconds", ""),
        ("window_seconds", "1.5"),
        ("margin_seconds", "61"),
        ("approved_window_seconds", "3601"),
        ("approval_above", "5000 INR"),
        ("approval_above", "5:XXQ"),
        ("long_window_above", "1:INR,2:INR"),
        ("flagged", "perhaps"),
        ("max_attempts", "0"),
        ("needs_eyes", "perhaps"),
        ("approval_ttl_seconds", "0"),
        ("approval_ttl_seconds", "2592001"),
        ("windows", "1"),
        ("allow_no_undo", "<b>"),
    ],
)
def test_a_bad_value_says_what_the_command_says_and_loses_nothing(
    world: World, key: str, value: str
) -> None:
    with pytest.raises(Invalid) as refused:
        settings.change(world.desk, "refund", {key: value}, "test")
    words = refused.value.errors[0].detail
    before = policy(world, "refund")
    fields = form(world.ida, "refund") | {"max_attempts": "7", key: value}
    answer = post(world.ida, "/settings/refund", fields)
    assert answer.code == 400
    assert str(escape(words, quote=True)) in answer.html.replace("&#39;", "&#x27;").replace(
        "&#34;", "&quot;"
    )
    assert "Nothing is saved." in answer.text
    if key != "max_attempts":
        assert 'name="max_attempts" value="7"' in answer.html
    if f'id="{key}-error"' in answer.html and key != "mode":
        assert f'aria-describedby="{key}-error {key}-hint" aria-invalid="true"' in answer.html
        assert str(escape(value)) in answer.html
    assert policy(world, "refund") == before


def test_rules_on_several_keys_stand_at_a_field(world: World) -> None:
    fields = form(world.ida, "refund") | {
        "window_seconds": "1000",
        "long_window_above": "1:INR",
    }
    answer = post(world.ida, "/settings/refund", fields)
    assert answer.code == 400
    assert 'id="long_window_seconds-error">long_window_seconds must not be shorter' in answer.html
    fields = form(world.ida, "exchange") | {"reservation_seconds": "60"}
    answer = post(world.ida, "/settings/exchange", fields)
    assert 'id="reservation_seconds-error">must exceed window, margin and lease' in answer.html
    assert '<details class="more" open>' in answer.html


def test_a_way_back_is_not_switched_off(world: World) -> None:
    fields = form(world.ida, "refund.reversal")
    assert 'value="off"' not in get(world.ida, "/settings/refund.reversal").html
    answer = post(world.ida, "/settings/refund.reversal", fields | {"mode": "off"})
    assert answer.code == 400
    assert "a way back is not switched off" in answer.text


def test_off_can_hold_what_is_scheduled(world: World) -> None:
    action_id = world.returns.draft()["id"]
    post(world.ida, "/settings/refund", form(world.ida, "refund") | {"mode": "off"})
    assert "1 is still scheduled, and will run." in get(world.ida, "/settings/refund").text
    assert world.look(action_id)["state"] == State.SCHEDULED
    fields = form(world.ida, "refund") | {"hold_scheduled": "yes"}
    post(world.ida, "/settings/refund", fields)
    assert world.look(action_id)["state"] == State.HELD


def test_of_two_admins_the_second_sees_both(world: World) -> None:
    iris = world.person("iris@example.com", "admin")
    seen = form(world.ida, "reply")
    post(iris, "/settings/reply", form(iris, "reply") | {"window_seconds": "60"})

    answer = post(world.ida, "/settings/reply", seen | {"window_seconds": "900"})
    assert answer.code == 409
    assert "Nothing is saved: Iri changed this while you were here." in answer.text
    assert "Window 60 900" in answer.text
    assert 'name="window_seconds" value="900"' in answer.html
    assert policy(world, "reply")["window_seconds"] == 60

    # having seen it, saving again replaces it
    again = form(world.ida, "reply") | {"window_seconds": "900"}
    assert f'name="seen" value="{again["seen"]}"' in answer.html
    assert post(world.ida, "/settings/reply", again).code == 303
    assert policy(world, "reply")["window_seconds"] == 900


@pytest.mark.parametrize("path", SETTINGS_PAGES)
def test_staff_are_told_who_can(world: World, path: str) -> None:
    answer = get(world.ana, path)
    assert answer.code == 403
    assert "ida@example.com" in answer.text
    assert "Save" not in answer.text
    assert get(world.ida, path).code == 200


def test_nobody_changes_a_policy_without_the_right_or_the_token(world: World) -> None:
    before = policy(world, "refund")
    fields = form(world.ida, "refund") | {"mode": "immediate"}
    assert post(world.ana, "/settings/refund", fields).code == 403
    assert post(world.ida, "/settings/refund", fields, csrf=False).code == 403
    stranger = world.app.test_client().post("/settings/refund", data=fields)
    assert (stranger.status_code, stranger.headers["Location"]) == (303, "/login")
    assert policy(world, "refund") == before


@pytest.mark.parametrize("kind", ["nothing", "refund.", "%00", "a" * 500, "..%2f"])
def test_there_is_no_page_for_what_is_no_kind(world: World, kind: str) -> None:
    assert get(world.ida, f"/settings/{kind}").code == 404
    assert post(world.ida, f"/settings/{kind}", {"mode": "off"}).code == 404


def test_immediate_comes_with_a_warning(world: World) -> None:
    page = get(world.ida, "/settings/refund")
    assert "Immediate leaves nobody any time" in page.text
    assert "Take the refund back" in page.text
    assert "It cannot be taken back: a sent mail" in get(world.ida, "/settings/reply").text
