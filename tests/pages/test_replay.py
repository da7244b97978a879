"""Trying a policy on history, and the ladder, from an admin's browser."""

import re

import pytest

from tests.api.world import World
from tests.pages.admin import form, get, policy, post


def test_history_is_tried_before_saving(world: World) -> None:
    world.returns.draft()
    before = policy(world, "refund")
    fields = form(world.ida, "refund") | {"mode": "immediate", "window_seconds": "77"}
    answer = post(world.ida, "/settings/refund/replay", fields)
    assert answer.code == 200
    assert "On history, not saved 0 of 1 1 of 1 1 of this kind, drafted since" in answer.text
    assert "Would have run at once 1" in answer.text
    assert 'name="window_seconds" value="77"' in answer.html
    assert policy(world, "refund") == before
    # what was entered can be saved from here
    assert re.search(r'name="seen" value="([0-9a-f]+)"', answer.html)[1] == fields["seen"]  # type: ignore[index]


def test_the_page_arrives_as_it_is_worked_out(world: World) -> None:
    world.returns.draft()
    fields = {**form(world.ida, "refund"), "csrf_token": world.ida.csrf}
    response = world.ida.client.post("/settings/refund/replay", data=fields, buffered=False)
    parts = [part.decode() for part in response.iter_encoded()]
    assert len(parts) > 10
    nonce = re.search(r"nonce-([\w-]+)", response.headers["Content-Security-Policy"])
    assert nonce
    assert f'nonce="{nonce[1]}"' in "".join(parts)


def test_a_bad_value_is_refused_as_saving_refuses_it(world: World) -> None:
    fields = form(world.ida, "refund") | {"margin_seconds": "61"}
    tried = post(world.ida, "/settings/refund/replay", fields)
    saved = post(world.ida, "/settings/refund", fields)
    assert tried.code == saved.code == 400
    words = re.search(r'id="margin_seconds-error">([^<]+)<', saved.html)
    assert words
    assert words[1] in tried.html
    assert "On history" not in tried.text


def test_a_kind_without_history_says_so(world: World) -> None:
    answer = post(world.ida, "/settings/label/replay", form(world.ida, "label"))
    assert "there is nothing to try it on" in answer.text


def test_the_ladder_shows_evidence_or_that_there_is_none(world: World) -> None:
    page = get(world.ida, "/settings/refund/ladder")
    assert page.code == 200
    for words in (
        "nobody has approved or rejected one yet",
        "none that was drafted in shadow has been decided",
        "Ready: its way back (Take the refund back)",
        "nobody has had one on screen yet",
        "It has not been run yet.",
    ):
        assert words in page.text
    assert "/settings/refund/ladder" in get(world.ida, "/settings/refund").html


@pytest.mark.parametrize("window", ["-1", "604801", "five", "1.5", "9" * 30])
def test_a_proposed_window_is_checked(world: World, window: str) -> None:
    page = get(world.ida, f"/settings/refund/ladder?window_seconds={window}")
    assert page.code == 200
    assert "must be a whole number from 0 to 604800" in page.text


def test_the_self_test_is_run_by_a_button_and_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.services.self_test.SECONDS", 60.0)
    monkeypatch.setattr("webapp.services.self_test.TRIALS", 50)
    page = post(world.ida, "/settings/refund/ladder", {})
    assert "0 of 50 25 of 50 50 of 50" in page.text
    assert "50 trials, 0 faults" in page.text
    later = get(world.ida, "/settings/label/ladder").text
    assert "50 trials, 0 faults" in later
    assert "by Ida" in later


def test_only_admins_try_and_test(world: World) -> None:
    for path in ("/settings/refund/replay", "/settings/refund/ladder"):
        assert post(world.ana, path, {}).code == 403
        assert post(world.ida, path, {}, csrf=False).code == 403
        assert post(world.ida, path.replace("refund", "nothing"), {}).code == 404
    assert get(world.ana, "/settings/refund/ladder").code == 403
    assert get(world.ida, "/settings/nothing/ladder").code == 404
