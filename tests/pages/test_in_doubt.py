"""A row whose attempt is over without anybody knowing its outcome says so, instead of running."""

import json
from typing import Any

import pytest

from tests.api.world import WORKER, World
from tests.pages.test_failed_parent import text
from tests.pages.test_feed import press, rows
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import claims
from webapp.store.claims import Finish


def ended(world: World, action_id: str, state: State, *, may_have: bool) -> None:
    """Its first attempt, as a worker writes it down; from now on it may be tried again."""
    claim = world.claim(action_id)
    error = {"message": "no answer in 20 s", "permanent": False, "may_have_happened": may_have}
    finish = Finish(
        action_id, claim.attempt, state, error=json.dumps(error), retry_at=world.db.now()
    )
    assert not world.db.transact(lambda tx: claims.finish(tx, WORKER, [finish]))


def said(world: World, action: dict[str, Any]) -> str:
    return text(rows(world.ana)[action["id"]])


@pytest.fixture
def doubted(world: World) -> dict[str, Any]:
    """A webhook that got no answer: only sending its key again can tell."""
    action = world.returns.draft("webhook")
    ended(world, action["id"], State.EXECUTING, may_have=True)
    return action


def test_it_says_that_nobody_knows_and_what_comes_next(
    world: World, doubted: dict[str, Any]
) -> None:
    """Promise 6: the state is the row's own, the words say what is known of it."""
    words = said(world, doubted)
    assert "Running outcome not known yet since" in words
    assert "Nobody knows yet whether attempt 1 had its effect: “no answer in 20 s”" in words
    assert "The provider is asked, or sent the same key again, from" in words
    assert "outcome not known yet" in text(world.ana.client.get(f"/actions/{doubted['id']}").text)


def test_with_a_cancel_recorded_it_says_that_nothing_is_sent_again(
    world: World, doubted: dict[str, Any]
) -> None:
    """Issue 3, 3: after it nothing is sent again, only looked up."""
    press(world.ana, world.look(doubted["id"]), "cancel")
    words = said(world, doubted)
    assert "The provider is asked, and nothing is sent again." in words
    assert "sent the same key" not in words


def test_the_attempt_that_finds_out_is_not_the_one_in_doubt(
    world: World, doubted: dict[str, Any]
) -> None:
    """The sweep has it now: its own attempt runs."""
    taken = world.db.transact(lambda tx: claims.take_over(tx, WORKER, 1, 60 * SECOND))
    assert [(one.id, one.attempt) for one in taken] == [(doubted["id"], 2)]
    words = said(world, doubted)
    assert "not known yet" not in words
    assert "An attempt before this one may have had its effect: “no answer in 20 s”" in words


def test_after_a_failure_without_effect_nothing_is_in_doubt(world: World) -> None:
    """Claimed again, it runs; what failed before certainly had no effect."""
    action = world.returns.draft("webhook")
    ended(world, action["id"], State.SCHEDULED, may_have=False)
    world.claim(action["id"])
    words = said(world, action)
    assert "in doubt" not in words
    assert "not known" not in words
    assert "An attempt before this one had no effect: “no answer in 20 s”" in words
