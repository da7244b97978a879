"""The way back and the second try: new, linked actions through the policy, one live at a time."""

from typing import Any

import pytest

from tests.services.people import (
    ANA,
    BEN,
    DONE,
    drafted,
    executed,
    finished,
    policy,
    state,
    stocked,
)
from tests.store.rows import available, count_events, put, row, verbs
from tests.store.test_concurrency import together
from webapp.domain.action import Action
from webapp.domain.errors import (
    Changed,
    Invalid,
    KindOff,
    NotExecuted,
    OutOfStock,
    UnknownOutcome,
    WrongState,
)
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.states import RAN_OUT, State
from webapp.services import read
from webapp.services.again import again
from webapp.services.cancel import cancel
from webapp.services.compensate import compensate
from webapp.services.desk import Desk

NAMES = {name: kind.way_back.name for name, kind in KINDS.items() if kind.way_back is not None}


def back(desk: Desk, original: Action, **more: Any) -> Action:
    """The original's way back, drafted now."""
    name = NAMES[original.kind]
    return compensate(desk, original.id, ANA, name=name, note="Sorry.", **more).action


@pytest.mark.parametrize("kind", DRAFTED)
def test_every_kind_has_its_way_back(desk: Desk, kind: str) -> None:
    """Promise 12; issue 2, 8: an action of its own, linked both ways."""
    stocked(desk, 1)
    original = executed(desk, kind)
    made = back(desk, original)
    assert made.compensates == original.id
    assert made.state is State.SCHEDULED
    assert (made.agent, made.drafted_by) == (original.agent, ANA.actor)
    assert made.customer == original.customer
    assert read.get(desk, original.id, ANA).compensated_by == (made.id,)
    assert made.window == 10_000_000


def test_the_same_way_back_again_is_the_same_action(desk: Desk) -> None:
    """CONTRACT, compensation: 201; 200 the same one again."""
    original = executed(desk)
    first = compensate(desk, original.id, ANA, name="reversal")
    second = compensate(desk, original.id, BEN, name="reversal", note="else")
    assert (first.created, second.created) == (True, False)
    assert first.action.id == second.action.id


def test_of_many_at_once_one_is_made(desk: Desk) -> None:
    """Issue 2, 8: at most one live per action and name."""
    original = executed(desk)
    results = together([lambda: compensate(desk, original.id, ANA, name="reversal")] * 8)
    assert [result.created for result in results].count(True) == 1
    assert len({result.action.id for result in results}) == 1


@pytest.mark.parametrize("ended", [State.CANCELLED, State.FAILED])
def test_after_a_way_back_ended_without_effect_there_is_another(desk: Desk, ended: State) -> None:
    """CONTRACT: one live, not one for ever."""
    original = executed(desk)
    first = back(desk, original)
    if ended is State.CANCELLED:
        cancel(desk, first.id, ANA)
    else:
        finished(desk, first.id, ended)
    second = back(desk, original)
    assert second.id != first.id
    assert read.get(desk, original.id, ANA).compensated_by == tuple(sorted((first.id, second.id)))


@pytest.mark.parametrize(
    ("before", "refusal"),
    [(one, UnknownOutcome if one is State.UNKNOWN else NotExecuted)
     for one in State if one is not State.EXECUTED],
)  # fmt: skip
def test_only_what_was_executed_is_taken_back(
    desk: Desk, before: State, refusal: type[WrongState]
) -> None:
    """CONTRACT: 409 `not_executed`, `unknown_outcome`."""
    one = put(desk.db, before)
    events = count_events(desk.db)
    with pytest.raises(refusal):
        compensate(desk, one, ANA, name="reversal")
    assert count_events(desk.db) == events


def test_what_cannot_be_asked_for_is_refused_at_its_field(desk: Desk) -> None:
    """Issue 2, bad input: the field is named, nothing written."""
    refund, reply, webhook = executed(desk), executed(desk, "reply"), executed(desk, "webhook")
    events = count_events(desk.db)
    wrong: list[tuple[Action, dict[str, Any], str]] = [
        (refund, {"name": "void"}, "/name"),
        (refund, {"name": ""}, "/name"),
        (reply, {"name": "correction"}, "/note"),
        (reply, {"name": "correction", "note": " \n"}, "/note"),
        (refund, {"name": "reversal", "payload": {"amount": {"value": 0}}}, "/payload/amount"),
        (refund, {"name": "reversal", "payload": {"unknown": 1}}, "/payload/unknown"),
        (refund, {"name": "reversal", "note": "a\x00"}, "/payload/note"),
        (webhook, {"name": "undo", "payload": {"method": "GET"}}, "/payload/method"),
    ]
    for original, given, pointer in wrong:
        with pytest.raises(Invalid) as refusal:
            compensate(desk, original.id, ANA, **given)
        assert refusal.value.errors[0].pointer.startswith(pointer), given
    with pytest.raises(Changed):
        compensate(desk, refund.id, ANA, name="reversal", seen=1)
    assert count_events(desk.db) == events


def test_a_correction_says_what_was_written(desk: Desk) -> None:
    """CONTRACT, `correction`: its text is the note."""
    made = back(desk, executed(desk, "reply"))
    assert made.payload["body"] == "Sorry."
    assert made.payload["in_reply_to"] == "p-1"


@pytest.mark.parametrize(
    ("kind", "status"), [("refund", "reversed"), ("label", "reversed"), ("reply", "settled")]
)
def test_an_executed_way_back_is_said_on_the_original(desk: Desk, kind: str, status: str) -> None:
    """CONTRACT, `effect.status`; a correction leaves the first mail where it is."""
    original = executed(desk, kind)
    before = read.get(desk, original.id, ANA)
    made = back(desk, original)
    assert read.get(desk, original.id, ANA).effect == before.effect
    finished(desk, made.id, State.EXECUTED, DONE)
    after = read.get(desk, original.id, ANA)
    assert after.effect is not None
    assert after.effect["status"] == status
    assert after.effect["provider_id"] == "p-1"
    assert after.state is State.EXECUTED
    assert after.version == before.version + 1
    assert verbs(desk.db, original.id)[-1] == "compensated"


def test_a_restock_puts_the_stock_back_once(desk: Desk) -> None:
    """Promise 8: when it is executed, not when it is asked for."""
    stocked(desk, 5)
    original = executed(desk, "exchange", quantity=2)
    made = back(desk, original)
    assert available(desk.db) == 3
    finished(desk, made.id, State.EXECUTED, DONE)
    assert available(desk.db) == 5
    assert back(desk, original).id == made.id
    assert available(desk.db) == 5


def test_switching_a_kind_off_leaves_its_way_back(desk: Desk) -> None:
    """CONTRACT: never switched off by the kind they repair."""
    original = executed(desk)
    policy(desk, mode="off")
    assert back(desk, original).state is State.SCHEDULED


@pytest.mark.parametrize("ended", sorted(RAN_OUT))
def test_what_ran_out_can_be_scheduled_again(desk: Desk, ended: State) -> None:
    """CONTRACT, again: a new, linked action with its own key, through the policy."""
    one = put(desk.db, ended, draft_key="k")
    policy(desk, mode="approval")
    result = again(desk, one, ANA, reason="the bank was down")
    made = result.action
    assert result.created
    assert (made.again_of, made.state) == (one, State.AWAITING_APPROVAL)
    assert made.id != one
    assert made.payload == read.get(desk, one, ANA).payload
    assert row(desk.db, made.id).draft_key is None
    assert read.timeline(desk, made.id, ANA)[0].data["reason"] == "the bank was down"


@pytest.mark.parametrize("live", [one for one in State if one not in RAN_OUT])
def test_what_lives_or_was_executed_is_not_scheduled_again(desk: Desk, live: State) -> None:
    """CONTRACT, again: from cancelled, rejected, failed; else 409."""
    one = put(desk.db, live)
    with pytest.raises(WrongState):
        again(desk, one, ANA)


def test_again_is_once_while_it_lives(desk: Desk) -> None:
    """A double click is not a second refund."""
    one = put(desk.db, State.FAILED)
    made = again(desk, one, ANA).action
    with pytest.raises(WrongState, match=made.id):
        again(desk, one, ANA)
    cancel(desk, made.id, ANA)
    assert again(desk, one, ANA).action.id != made.id
    with pytest.raises(Changed):
        again(desk, one, ANA, seen=99)


def test_again_asks_stock_and_policy_anew(desk: Desk) -> None:
    """DESIGN: a new action, so all that holds for one."""
    stocked(desk, 1)
    first = drafted(desk, "exchange")
    cancel(desk, first.id, ANA)
    made = again(desk, first.id, ANA).action
    assert available(desk.db) == 0
    cancel(desk, made.id, ANA)
    drafted(desk, "exchange")
    with pytest.raises(OutOfStock):
        again(desk, first.id, ANA)
    policy(desk, "exchange", mode="off")
    with pytest.raises(KindOff):
        again(desk, first.id, ANA)


def test_a_way_back_that_failed_is_not_tried_beside_another(desk: Desk) -> None:
    """At most one live per action and name, also by the other road; and it says which one."""
    original = executed(desk)
    first = back(desk, original)
    finished(desk, first.id, State.FAILED)
    second = back(desk, original)
    with pytest.raises(WrongState, match=second.id):
        again(desk, first.id, ANA)
    cancel(desk, second.id, ANA)
    made = again(desk, first.id, ANA).action
    assert (made.compensates, made.again_of) == (original.id, first.id)
    assert state(desk, made.id) == "scheduled"
