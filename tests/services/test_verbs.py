"""Approve, reject, hold, release, extend, run now, resolve: what they do and what they refuse."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.services.people import ANA, DONE, OTHER, claimed, drafted, finished, policy, state
from tests.store.rows import count_events, end, put, row, verbs
from webapp.domain.action import Action
from webapp.domain.errors import (
    Changed,
    DeskError,
    Invalid,
    LimitReached,
    NotAwaiting,
    NotFound,
    NotHeld,
    NotUnknown,
    TooLate,
    WrongState,
)
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import clock, decide, resolve
from webapp.services.caller import Caller
from webapp.services.cancel import cancel
from webapp.services.desk import Desk

Call = Callable[..., Action]


def _resolve(desk: Desk, one: str, caller: Caller, **more: Any) -> Action:
    return resolve.resolve(desk, one, caller, outcome="happened", note="asked them", **more)


def _extend(desk: Desk, one: str, caller: Caller, **more: Any) -> Action:
    return clock.extend(desk, one, caller, seconds=60, **more)


def _reject(desk: Desk, one: str, caller: Caller, **more: Any) -> Action:
    return decide.reject(desk, one, caller, reason="no", **more)


VERBS: dict[str, tuple[Call, State, type[WrongState]]] = {
    "approve": (decide.approve, State.AWAITING_APPROVAL, NotAwaiting),
    "reject": (_reject, State.AWAITING_APPROVAL, NotAwaiting),
    "hold": (clock.hold, State.SCHEDULED, TooLate),
    "release": (clock.release, State.HELD, NotHeld),
    "extend": (_extend, State.SCHEDULED, TooLate),
    "run now": (clock.run_now, State.SCHEDULED, TooLate),
    "resolve": (_resolve, State.UNKNOWN, NotUnknown),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_the_state_does_not_allow_is_refused_by_name(desk: Desk, verb: str) -> None:
    """CONTRACT, API: each 409 has its code, and nothing is written."""
    call, needed, refusal = VERBS[verb]
    for other in set(State) - {needed}:
        one = put(desk.db, other, due=600 * SECOND)
        before, events = row(desk.db, one), count_events(desk.db)
        with pytest.raises(refusal):
            call(desk, one, ANA)
        assert row(desk.db, one) == before
        assert count_events(desk.db) == events


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_on_what_changed_since_is_refused(desk: Desk, verb: str) -> None:
    """CONTRACT, `version`: stale: 409 `changed`."""
    call, needed, _ = VERBS[verb]
    one = put(desk.db, needed, due=600 * SECOND)
    for stale in (7, 2**40):
        with pytest.raises(Changed):
            call(desk, one, ANA, seen=stale)
    assert call(desk, one, ANA, seen=1).version == 2


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_not_there_is_not_found(desk: Desk, verb: str) -> None:
    """CONTRACT: not one's own: 404."""
    call, needed, _ = VERBS[verb]
    one = put(desk.db, needed)
    with pytest.raises(NotFound):
        call(desk, one, Caller.agent(OTHER))
    with pytest.raises(NotFound):
        call(desk, "0195", ANA)


def test_an_approval_starts_a_short_window(desk: Desk) -> None:
    """CONTRACT: the short window starts at the approval, by the policy of now."""
    policy(desk, mode="approval", margin_seconds="3")
    made = drafted(desk)
    policy(desk, approved_window_seconds="20")
    with desk.db.read() as tx:
        begun = tx.now()
    found = decide.approve(desk, made.id, ANA, reason="fine")
    assert found.state is State.SCHEDULED
    assert found.cancel_by is not None
    assert begun + 20 * SECOND <= found.cancel_by <= begun + 25 * SECOND
    assert found.execute_at == found.cancel_by + 3 * SECOND
    assert (found.state_by, found.state_reason) == (ANA.actor, "fine")


@pytest.mark.parametrize("reason", [None, "", "  "])
def test_a_rejection_says_why(desk: Desk, reason: str | None) -> None:
    """CONTRACT, rejection: `reason` is required."""
    one = put(desk.db, State.AWAITING_APPROVAL)
    with pytest.raises(Invalid) as refusal:
        decide.reject(desk, one, ANA, reason=reason)
    assert refusal.value.errors[0].pointer == "/reason"
    assert state(desk, one) == "awaiting_approval"


def test_hold_and_release_keep_the_time_that_was_left(desk: Desk) -> None:
    """CONTRACT: the clock stops and restarts."""
    made = drafted(desk)
    held = clock.hold(desk, made.id, ANA, reason="ask first")
    assert (held.state, held.execute_at, held.state_reason) == (State.HELD, None, "ask first")
    released = clock.release(desk, made.id, ANA)
    assert released.state is State.SCHEDULED
    assert released.execute_at is not None
    assert made.execute_at is not None
    assert made.execute_at <= released.execute_at <= made.execute_at + 60 * SECOND


def test_a_released_action_leaves_thirty_seconds(desk: Desk) -> None:
    """CONTRACT, release: at least 30 s."""
    policy(desk, window_seconds="1")
    made = drafted(desk)
    clock.hold(desk, made.id, ANA)
    with desk.db.read() as tx:
        begun = tx.now()
    found = clock.release(desk, made.id, ANA)
    assert found.execute_at is not None
    assert found.execute_at >= begun + 30 * SECOND


def test_an_extension_makes_it_later_until_the_limit(desk: Desk) -> None:
    """CONTRACT, extension: in all the larger of ten windows and one hour."""
    made = drafted(desk)
    assert made.execute_at is not None
    found = clock.extend(desk, made.id, ANA, seconds=3_000)
    assert found.execute_at == made.execute_at + 3_000 * SECOND
    clock.extend(desk, made.id, ANA, seconds=600)
    with pytest.raises(LimitReached, match="3600 s"):
        clock.extend(desk, made.id, ANA, seconds=1)
    assert state(desk, made.id) == "scheduled"
    with pytest.raises(Changed):
        clock.extend(desk, made.id, ANA, seconds=1, seen=1)


@pytest.mark.parametrize("seconds", [0, -1, 3_601])
def test_an_extension_is_of_one_second_to_one_hour(desk: Desk, seconds: int) -> None:
    """CONTRACT, `{"seconds":1-3600}`."""
    made = drafted(desk)
    with pytest.raises(Invalid) as refusal:
        clock.extend(desk, made.id, ANA, seconds=seconds)
    assert refusal.value.errors[0].pointer == "/seconds"


def test_run_now_is_due_now_and_counts_as_seen(desk: Desk) -> None:
    """CONTRACT, run-now."""
    found = clock.run_now(desk, drafted(desk).id, ANA)
    assert found.execute_at is not None
    assert found.execute_at <= desk.now() + SECOND
    assert found.first_viewed_at is not None


@pytest.mark.parametrize(
    ("outcome", "withdrawn", "ends"),
    [
        ("happened", False, State.EXECUTED),
        ("happened", True, State.EXECUTED),
        ("did_not_happen", False, State.FAILED),
        ("did_not_happen", True, State.CANCELLED),
    ],
)
def test_a_person_settles_what_nobody_could_know(
    desk: Desk, outcome: str, withdrawn: bool, ends: State
) -> None:
    """CONTRACT, resolution; promise 6."""
    made = drafted(desk)
    child = drafted(desk, depends_on=[made.id])
    if withdrawn:
        claimed(desk, made.id)
        cancel(desk, made.id, ANA, reason="wrong")
        end(desk.db, made.id, State.UNKNOWN, error="{}")
    else:
        finished(desk, made.id, State.UNKNOWN)
    found = resolve.resolve(desk, made.id, ANA, outcome=outcome, note="asked the bank")
    assert (found.state, found.state_reason) == (ends, "asked the bank")
    assert (found.effect is not None) is (outcome == "happened")
    if ends is State.CANCELLED:
        assert (found.cancelled_by, found.cancel_reason) == (ANA.actor, "wrong")
    assert state(desk, child.id) == ("scheduled" if ends is State.EXECUTED else "cancelled")
    assert verbs(desk.db, made.id)[-1] == "resolved"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [({"outcome": "perhaps"}, "/outcome"), ({"note": ""}, "/note"), ({"note": " \n"}, "/note")],
)
def test_a_resolution_says_how_it_is_known(
    desk: Desk, change: dict[str, str], pointer: str
) -> None:
    """CONTRACT, resolution: `outcome` and `note`."""
    one = put(desk.db, State.UNKNOWN)
    given = {"outcome": "happened", "note": "n"} | change
    with pytest.raises(Invalid) as refusal:
        resolve.resolve(desk, one, ANA, outcome=given["outcome"], note=given["note"])
    assert refusal.value.errors[0].pointer == pointer
    assert state(desk, one) == "unknown"


def test_a_refusal_says_who_was_first(desk: Desk) -> None:
    """CASES dbos-inc/dbos-transact-py#767: no lost race without a word."""
    made = drafted(desk)
    finished(desk, made.id, State.EXECUTED, DONE)
    with pytest.raises(DeskError, match=r"executed, by worker:test"):
        clock.hold(desk, made.id, ANA)
