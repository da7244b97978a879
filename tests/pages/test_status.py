"""The customer's status page: true in every state, and silent about everything else."""

import re

import pytest

from tests.api.world import World
from tests.pages.customer import execute, get, look
from webapp.domain.kinds.registry import DRAFTED
from webapp.domain.states import State
from webapp.services import status

EXPECTED = {
    State.AWAITING_APPROVAL: ("awaiting", "waiting for somebody in our team"),
    State.SCHEDULED: ("scheduled", "is scheduled for"),
    State.HELD: ("held", "is on hold"),
    State.EXECUTING: ("working", "is being sent right now"),
    State.EXECUTED: ("done", "is done. It was sent on"),
    State.CANCELLED: ("cancelled", "was cancelled. It was not sent."),
    State.REJECTED: ("cancelled", "was cancelled. It was not sent."),
    State.FAILED: ("problem", "could not be sent"),
    State.UNKNOWN: ("working", "making sure that it went through"),
}


@pytest.mark.parametrize("state", State)
def test_each_state_reads_as_what_is_known(world: World, state: State) -> None:
    page = look(world, world.put(state)["id"])
    word, sentence = EXPECTED[state]
    assert (page.code, page.status) == (200, word)
    assert "Your refund of ₹12.50" in page.text
    assert sentence in page.text
    if word != "done":
        assert not re.search(r"\b(done|executed)\b", page.html, re.IGNORECASE)
    if state in (State.AWAITING_APPROVAL, State.SCHEDULED, State.HELD):
        assert "It has not been sent yet." in page.text


@pytest.mark.parametrize("kind", DRAFTED)
def test_every_kind_has_a_sentence(world: World, kind: str) -> None:
    page = look(world, world.returns.draft(kind)["id"])
    assert re.search(r"(Your|Our) [a-z ]+ (of ₹12.50 )?(to you )?is scheduled for", page.text)
    assert "{" not in page.text


def test_taken_but_not_settled_is_not_done(world: World) -> None:
    action_id = world.returns.draft()["id"]
    execute(world, action_id, "submitted")
    page = look(world, action_id)
    assert page.status == "working"
    assert "is being processed. It is not confirmed yet." in page.text
    assert not re.search(r"\b(done|executed)\b", page.html, re.IGNORECASE)


def test_what_failed_at_the_provider_later_is_a_problem(world: World) -> None:
    action_id = world.returns.draft()["id"]
    execute(world, action_id, "failed_later")
    page = look(world, action_id)
    assert page.status == "problem"
    assert "was sent, but it did not go through" in page.text


def test_what_was_taken_back_says_so_and_the_way_back_has_its_own_page(world: World) -> None:
    action_id = world.returns.draft()["id"]
    execute(world, action_id, "settled")
    answer = world.ana.post(f"/actions/{action_id}/compensation", {"name": "reversal"})
    repair = answer.get_json()["id"]
    page = look(world, repair)
    assert page.status == "scheduled"
    assert "The correction of your refund of ₹12.50 is scheduled for" in page.text
    assert look(world, action_id).status == "done"

    execute(world, repair, "settled")
    assert look(world, repair).status == "done"
    page = look(world, action_id)
    assert page.status == "cancelled"
    assert "Taken back" in page.text
    assert "was taken back after that" in page.text
    assert "was not sent" not in page.text


def test_what_waits_for_another_says_so(world: World) -> None:
    parent = world.returns.draft()["id"]
    child = world.returns.draft("reply", depends_on=[parent])["id"]
    page = look(world, child)
    assert page.status == "scheduled"
    assert "Our answer to you waits until another step has gone through." in page.text
    assert "It will not be sent before" in page.text


@pytest.mark.parametrize(
    ("scope", "stopped"), [({}, True), ({"kind": "refund"}, True), ({"kind": "label"}, False)]
)
def test_a_pause_that_touches_it_is_told(
    world: World, scope: dict[str, str], stopped: bool
) -> None:
    action_id = world.returns.draft()["id"]
    assert world.ana.post("/pauses", {"reason": "SECRET", **scope}).status_code == 201
    page = look(world, action_id)
    assert page.status == "scheduled"
    assert ("Our team has stopped sending for the moment" in page.text) is stopped
    assert "SECRET" not in page.html


def test_nothing_but_the_kind_amount_and_time_is_told(world: World) -> None:
    """CONTRACT: neither summary nor reason; nor payload, names, order, agent or ids."""
    hostile = "<img src=x onerror=alert(1)>\u202eSECRET"
    action = world.returns.draft(
        summary=hostile,
        reason="SECRET reason",
        order="SECRET-order",
        customer={"ref": "SECRET-ref", "name": "SECRET name", "email": "secret@example.com"},
        payload={
            "payment": "SECRET-pay",
            "amount": {"value": 1250, "currency": "INR"},
            "reason": "SECRET",
        },
    )
    world.ana.post(f"/actions/{action['id']}/hold", {"reason": "SECRET hold"})
    page = look(world, action["id"])
    for told in ("secret", "onerror", "\u202e", "ana", action["id"], "returns"):
        assert told not in page.html.lower().replace("learn", ""), told


def test_it_is_private(world: World) -> None:
    page = look(world, world.returns.draft()["id"])
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "noindex" in page.headers["X-Robots-Tag"]
    assert "Set-Cookie" not in page.headers
    assert "csrf" not in page.html
    links = re.findall(r'(?:href|src)="([^"]*)"', page.html)
    assert links
    assert all(link.startswith("/") and not link.startswith("//") for link in links)
    assert "<nav" not in page.html
    assert not re.search(r"<style|<script(?![^>]*src)|\sstyle=|\son[a-z]+=", page.html)


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_changes_nothing(world: World, method: str) -> None:
    action_id = world.returns.draft()["id"]
    before = world.everything()
    path = f"/s/{status.token(world.settings, action_id)}"
    for _ in range(3):
        assert getattr(world.app.test_client(), method)(path).status_code == 200
    assert world.everything() == before
    assert world.look(action_id)["first_viewed_at"] is None


def test_whatever_is_not_a_link_of_this_desk_looks_the_same(world: World) -> None:
    good = status.token(world.settings, world.returns.draft()["id"])
    unknown = status.token(world.settings, "01a22c72-0000-7000-8000-000000000000")
    other = status.token(
        world.settings.model_copy(update={"secret_key": "o" * 32}), world.put(State.HELD)["id"]
    )
    body, _, signature = good.rpartition(".")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    # the last character of a signature has bits that mean nothing: all 63 others are wrong
    tampered = [f"{good[:-1]}{letter}" for letter in alphabet if letter != good[-1]]
    bad = [
        *(
            unknown,
            other,
            "x",
            ".",
            "..",
            f"{good}.",
            f".{signature}",
            f"{body}.",
            body,
            good + "A",
        ),
        *(good.upper(), good[1:], f"{good}%00", "%00", "%ff", "a/b", f"{good}/", "é", good * 50),
        *(f"{good}%0a", f"%20{good}", f"{good}%20", f"{body}.{signature[:9]}!{signature[9:]}"),
        *tampered,
    ]
    pages = [get(world, f"/s/{token}") for token in bad]
    assert [page.code for page in pages] == [404] * len(bad)
    assert len({page.html for page in pages}) == 1
    assert pages[0].headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in pages[0].headers
    assert "data-status" not in pages[0].html


def test_a_link_outlives_the_rotation_of_the_key(world: World) -> None:
    action_id = world.returns.draft()["id"]
    old = status.token(world.settings, action_id)
    rotated = world.settings.model_copy(
        update={"secret_key": "n" * 32, "secret_key_fallbacks": (world.settings.secret_key,)}
    )
    world.desk.settings = rotated
    assert get(world, f"/s/{old}").code == 200
    assert get(world, f"/s/{status.token(rotated, action_id)}").code == 200


def test_it_loads_again_without_scripts_until_it_is_final(world: World) -> None:
    action_id = world.returns.draft()["id"]
    refresh = '<noscript><meta http-equiv="refresh" content="15"></noscript>'
    page = look(world, action_id)
    assert refresh in page.html
    assert "status.js" in page.html
    path = f"/s/{status.token(world.settings, action_id)}"
    still = get(world, f"{path}?refresh=off")
    # WCAG 2.2.1 and 2.2.2: who does not want it can stop it
    assert f'href="{path}?refresh=off"' in page.html
    assert refresh not in still.html
    assert f'href="{path}"' in still.html
    world.ana.post(f"/actions/{action_id}/cancellation")
    page = look(world, action_id)
    assert refresh not in page.html
    assert "status.js" not in page.html
