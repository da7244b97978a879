"""`needs_eyes` from the draft to the hold: promise 13, through the services."""

import pytest

from tests.services.joining import say
from tests.services.people import ANA, drafted, due, policy, state
from tests.services.test_merging import person
from tests.store.rows import claim_all, row
from webapp.domain.states import State
from webapp.services import decide, read, views
from webapp.services.desk import Desk
from webapp.services.overdue import hold_overdue


def look(desk: Desk, action_id: str) -> None:
    """Somebody has what it says now on screen."""
    version = row(desk.db, action_id).version
    views.record(desk, person(desk), [(action_id, version)])


@pytest.mark.parametrize("eyes", ["yes", "no"])
def test_what_nobody_has_seen_waits_where_its_kind_asks_for_eyes(desk: Desk, eyes: str) -> None:
    """CONTRACT, needs_eyes: unseen when due -> held."""
    policy(desk, needs_eyes=eyes)
    one = drafted(desk)
    due(desk, one.id)
    taken = [claim.id for claim in claim_all(desk.db)]
    assert (taken, hold_overdue(desk)) == (([], 1) if eyes == "yes" else ([one.id], 0))


def test_what_somebody_saw_runs(desk: Desk) -> None:
    policy(desk, needs_eyes="yes")
    one = drafted(desk)
    look(desk, one.id)
    due(desk, one.id)
    assert [claim.id for claim in claim_all(desk.db)] == [one.id]


def test_a_change_of_the_policy_holds_for_later_drafts(desk: Desk) -> None:
    before = drafted(desk)
    policy(desk, needs_eyes="yes")
    after = drafted(desk)
    policy(desk, needs_eyes="no")
    assert [bool(row(desk.db, one.id).unseen) for one in (before, after)] == [False, True]


def test_who_saw_it_before_a_draft_joined_has_not_seen_it(desk: Desk) -> None:
    """A view counts for the payload that was seen."""
    policy(desk, "reply", needs_eyes="yes")
    one = say(desk, "One").action
    look(desk, one.id)
    say(desk, "Two")
    views.record(desk, person(desk), [(one.id, one.version)])
    due(desk, one.id)
    assert claim_all(desk.db) == []
    assert hold_overdue(desk) == 1
    found = read.get(desk, one.id, ANA)
    assert (found.state, found.state_by) == (State.HELD, "policy")
    assert str(found.state_reason).startswith("nobody has seen it")


def test_who_approves_it_has_seen_it(desk: Desk) -> None:
    """What is approved is what was shown; the window after it needs no second look."""
    policy(desk, mode="approval", needs_eyes="yes")
    one = drafted(desk)
    decide.approve(desk, one.id, ANA, seen=one.version)
    due(desk, one.id)
    assert [claim.id for claim in claim_all(desk.db)] == [one.id]
    assert state(desk, one.id) == "executing"
