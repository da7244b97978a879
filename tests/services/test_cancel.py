"""Cancelling: whoever asks is told the row's truth, and by how much who was first."""

from typing import Any

import pytest

from tests.services.people import (
    ANA,
    BEN,
    BOT,
    DONE,
    OTHER,
    claimed,
    drafted,
    due,
    executed,
    finished,
    state,
    stocked,
)
from tests.store.rows import GONE, available, claim_all, count_events, end, put, row, verbs
from tests.store.test_concurrency import together
from tests.unit.bodies import PAYLOADS
from webapp.config import Settings
from webapp.domain.drafts import canonical
from webapp.domain.errors import Changed, DependencyNotLive, NotCancellable, NotFound
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import decide
from webapp.services.caller import Caller
from webapp.services.cancel import (
    AlreadyCancelled,
    Cancelled,
    CancelTooLate,
    NextStep,
    Outcome,
    cancel,
)
from webapp.services.desk import Desk
from webapp.store import transitions
from webapp.store.claims import Finish, finish
from webapp.store.engine import Database, Tx


def won(outcome: Outcome) -> Cancelled:
    assert isinstance(outcome, Cancelled)
    return outcome


def late(outcome: Outcome) -> CancelTooLate:
    assert isinstance(outcome, CancelTooLate)
    return outcome


def test_who_wins_is_told_by_how_much(desk: Desk) -> None:
    """CONTRACT, receipt: time left before `execute_at`; promise 1."""
    made = drafted(desk)
    outcome = won(cancel(desk, made.id, ANA, reason="looks wrong"))
    found, receipt = outcome.action, outcome.receipt
    assert (found.state, found.cancelled_by, found.cancel_reason) == (
        State.CANCELLED,
        ANA.actor,
        "looks wrong",
    )
    assert receipt.won_by == "cancel"
    assert receipt.cancel_received_at == found.cancelled_at
    assert (receipt.claimed_at, receipt.execute_at) == (None, made.execute_at)
    assert made.execute_at is not None
    assert receipt.margin == made.execute_at - receipt.cancel_received_at > 0
    assert outcome.also_cancelled == []


def test_an_overdue_action_can_still_be_cancelled(desk: Desk) -> None:
    """Promise 2: state decides, not the clock; the margin is negative then."""
    made = drafted(desk)
    due(desk, made.id, ago=5 * SECOND)
    receipt = won(cancel(desk, made.id, ANA)).receipt
    assert receipt.margin is not None
    assert receipt.margin <= -5 * SECOND


def test_without_a_time_there_is_no_margin(desk: Desk) -> None:
    """CONTRACT: what waits for approval has no `execute_at`."""
    for first in (State.AWAITING_APPROVAL, State.HELD):
        one = put(desk.db, first, execute_at=None, cancel_by=None)
        assert won(cancel(desk, one, ANA)).receipt.margin is None


def test_with_no_worker_alive_nothing_is_left_to_fire(desk: Desk) -> None:
    """CASES celery/django-celery-results#423, freescout#3300: a later worker finds nothing."""
    made = drafted(desk)
    due(desk, made.id)
    cancel(desk, made.id, ANA)
    assert claim_all(desk.db) == []


def test_a_second_cancel_is_told_of_the_first(desk: Desk) -> None:
    """CONTRACT, `already_cancelled`."""
    made = drafted(desk)
    cancel(desk, made.id, ANA, key="k")
    events = count_events(desk.db)
    for caller, key in ((BEN, "k"), (ANA, "other"), (ANA, None)):
        outcome = cancel(desk, made.id, caller, key=key)
        assert isinstance(outcome, AlreadyCancelled)
        assert outcome.action.cancelled_by == ANA.actor
    assert count_events(desk.db) == events


@pytest.mark.parametrize(
    ("ended", "recorded", "available"),
    [
        (State.EXECUTING, True, False),
        (State.EXECUTED, False, True),
        (State.UNKNOWN, True, False),
    ],
)
def test_who_is_too_late_is_told_so_and_what_comes_next(
    desk: Desk, ended: State, recorded: bool, available: bool
) -> None:
    """CONTRACT, `too_late`; promise 12; CASES dbos-inc/dbos-transact-py#767."""
    made = drafted(desk)
    if ended is State.EXECUTING:
        claimed(desk, made.id)
    else:
        finished(desk, made.id, ended, DONE)
    outcome = late(cancel(desk, made.id, ANA, reason="looks wrong"))
    found, receipt = outcome.action, outcome.receipt
    assert (outcome.state, found.state) == (ended, ended)
    assert outcome.cancel_recorded is recorded
    assert outcome.next_steps == [NextStep("reversal", "Take the refund back", available)]
    assert receipt.won_by == "claim"
    assert receipt.claimed_at == found.claimed_at
    assert receipt.claimed_at is not None
    assert receipt.margin == receipt.cancel_received_at - receipt.claimed_at >= 0
    assert (found.late_cancel_by, found.late_cancel_reason) == (ANA.actor, "looks wrong")
    assert verbs(desk.db, made.id)[-1] == "cancel_too_late"


@pytest.mark.parametrize("ended", [State.REJECTED, State.FAILED])
def test_what_ended_without_effect_has_nothing_to_cancel(desk: Desk, ended: State) -> None:
    """CONTRACT, `not_cancellable`."""
    one = put(desk.db, ended)
    before = row(desk.db, one)
    with pytest.raises(NotCancellable):
        cancel(desk, one, ANA, key="k")
    assert row(desk.db, one) == before


def test_every_late_cancel_is_kept_and_the_row_names_the_first(desk: Desk) -> None:
    """Promise 15."""
    made = executed(desk)
    for caller in (ANA, BEN):
        late(cancel(desk, made.id, caller))
    assert row(desk.db, made.id).late_cancel_by == ANA.actor
    assert verbs(desk.db, made.id).count("cancel_too_late") == 2


def test_an_agent_cancels_its_own_only(desk: Desk) -> None:
    """CONTRACT: not one's own: 404, in every state."""
    ids = [drafted(desk).id, executed(desk).id, put(desk.db, State.FAILED), GONE]
    for one in ids:
        with pytest.raises(NotFound):
            cancel(desk, one, Caller.agent(OTHER))
    assert state(desk, ids[0]) == "scheduled"
    assert won(cancel(desk, ids[0], Caller.agent(BOT))).action.cancelled_by == "agent:bot"


def test_a_stale_screen_cancels_nothing_else_than_it_showed(desk: Desk) -> None:
    """CONTRACT, `version`: stale: `changed`, only while it could still be cancelled."""
    made = drafted(desk)
    with pytest.raises(Changed):
        cancel(desk, made.id, ANA, seen=7)
    assert state(desk, made.id) == "scheduled"
    won(cancel(desk, made.id, ANA, seen=1))
    assert isinstance(cancel(desk, made.id, BEN, seen=1), AlreadyCancelled)
    late(cancel(desk, executed(desk).id, ANA, seen=1))


@pytest.mark.parametrize("version", [0, -1, 2**31, 2**63, 2**70])
def test_a_version_that_no_row_can_have_is_stale(desk: Desk, version: int) -> None:
    """Issue 2, bad input: never a 500, however large the number."""
    made = drafted(desk)
    with pytest.raises(Changed):
        cancel(desk, made.id, ANA, seen=version)


def test_descendants_go_along_and_are_named(desk: Desk) -> None:
    """CONTRACT, `also_cancelled`; promises 7 and 8."""
    stocked(desk, 5)
    parent = drafted(desk)
    child = drafted(desk, "exchange", quantity=2, depends_on=[parent.id])
    deep = drafted(desk, depends_on=[child.id])
    assert available(desk.db) == 3
    outcome = won(cancel(desk, parent.id, ANA))
    assert sorted(outcome.also_cancelled) == sorted([child.id, deep.id])
    assert available(desk.db) == 5


def test_descendants_are_named_in_one_order_however_often_it_is_asked(desk: Desk) -> None:
    """Promise 9: the grandchild was drafted before the second child."""
    parent = drafted(desk)
    child = drafted(desk, depends_on=[parent.id])
    deep = drafted(desk, depends_on=[child.id])
    late = drafted(desk, depends_on=[parent.id])
    first = won(cancel(desk, parent.id, ANA, key="k"))
    assert first.also_cancelled == [child.id, deep.id, late.id]
    assert won(cancel(desk, parent.id, ANA, key="k")).also_cancelled == first.also_cancelled


def test_a_draft_under_a_parent_being_cancelled_never_lives(desk: Desk) -> None:
    """Promise 7: also when it is being inserted at that moment."""

    def child(parent: str) -> str | None:
        try:
            return drafted(desk, depends_on=[parent]).id
        except DependencyNotLive:
            return None

    for _ in range(10):
        parent = drafted(desk).id
        works: list[Any] = [lambda p=parent: child(p), lambda p=parent: cancel(desk, p, ANA)]
        made = together(works)[0]
        assert state(desk, parent) == "cancelled"
        assert made is None or state(desk, made) == "cancelled"


def test_a_retry_put_back_at_that_moment_is_cancelled(postgresql_url: str) -> None:
    """Promise 1: the loser is told the real state; between two reads it can't change unseen."""
    db = Database(postgresql_url)
    desk = Desk(db, Settings())
    one = put(db, State.EXECUTING)
    real = transitions.cancel
    retries = [Finish(one, 1, State.SCHEDULED, retry_at=db.now() + SECOND)]

    def interleaved(tx: Tx, *args: Any) -> Any:
        result = real(tx, *args)
        if retries:
            assert db.transact(lambda other: finish(other, "w", [retries.pop()])) == []
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transitions, "cancel", interleaved)
        outcome = cancel(desk, one, ANA)
    won(outcome)
    assert row(db, one).state == "cancelled"
    db.close()


def test_a_rejected_parent_takes_its_children_along(desk: Desk) -> None:
    """Promise 7: every arrow into `cancelled` or `rejected`."""
    parent = put(desk.db, State.AWAITING_APPROVAL)
    child = drafted(desk, depends_on=[parent])
    decide.reject(desk, parent, ANA, reason="no")
    assert state(desk, child.id) == "cancelled"


def test_a_cancel_recorded_while_running_wins_if_nothing_happened(desk: Desk) -> None:
    """CONTRACT, `cancel_recorded`."""
    made = drafted(desk)
    claimed(desk, made.id)
    first = late(cancel(desk, made.id, ANA, key="k", reason="stop"))
    end(desk.db, made.id, State.SCHEDULED, retry_at=desk.now())
    assert state(desk, made.id) == "cancelled"
    again = late(cancel(desk, made.id, ANA, key="k"))
    assert (again.state, again.receipt) == (first.state, first.receipt)
    assert isinstance(cancel(desk, made.id, BEN), AlreadyCancelled)


class TestARepeatWithTheSameKey:
    """Promise 9: the same `Idempotency-Key` gives the same answer, whatever happened since."""

    def test_after_it_won(self, desk: Desk) -> None:
        """CONTRACT, cancelling: 200, with the same descendants and receipt."""
        parent = drafted(desk)
        drafted(desk, depends_on=[parent.id])
        first = won(cancel(desk, parent.id, ANA, key="k"))
        assert won(cancel(desk, parent.id, ANA, key="k")) == first

    @pytest.mark.parametrize("ended", [State.EXECUTING, State.UNKNOWN, State.EXECUTED])
    def test_after_it_was_too_late(self, desk: Desk, ended: State) -> None:
        """The state and the receipt of then; no second event."""
        made = drafted(desk)
        claimed(desk, made.id)
        if ended is not State.EXECUTING:
            end(desk.db, made.id, ended, effect=DONE)
        first = late(cancel(desk, made.id, ANA, key="k"))
        if ended is State.EXECUTING:
            end(desk.db, made.id, effect=DONE)
        events = count_events(desk.db)
        again = late(cancel(desk, made.id, ANA, key="k"))
        assert (again.state, again.receipt, again.cancel_recorded) == (
            first.state,
            first.receipt,
            first.cancel_recorded,
        )
        assert count_events(desk.db) == events

    def test_after_somebody_else_was_first(self, desk: Desk) -> None:
        """`already_cancelled` stays `already_cancelled`."""
        made = drafted(desk)
        cancel(desk, made.id, BEN, key="k")
        for _ in range(2):
            assert isinstance(cancel(desk, made.id, ANA, key="k"), AlreadyCancelled)

    def test_keys_are_compared_whole(self, desk: Desk) -> None:
        """A key may have 255 characters: two that differ at the end are two."""
        made = drafted(desk)
        won(cancel(desk, made.id, Caller.agent(BOT), key="k" * 254 + "1"))
        other = cancel(desk, made.id, Caller.agent(BOT), key="k" * 254 + "2")
        assert isinstance(other, AlreadyCancelled)
        won(cancel(desk, made.id, Caller.agent(BOT), key="k" * 254 + "1"))

    def test_after_it_could_not_be_cancelled(self, desk: Desk) -> None:
        """`not_cancellable` again."""
        one = put(desk.db, State.FAILED)
        for _ in range(2):
            with pytest.raises(NotCancellable):
                cancel(desk, one, ANA, key="k")


def test_a_webhook_without_undo_offers_no_way_back(desk: Desk) -> None:
    """Promise 12: a next step that is not there is not promised."""
    with_undo = executed(desk, "webhook")
    assert [step.name for step in late(cancel(desk, with_undo.id, ANA)).next_steps] == ["undo"]
    without = canonical({k: v for k, v in PAYLOADS["webhook"].items() if k != "undo"})
    one = put(desk.db, State.EXECUTED, kind="webhook", payload=without)
    assert late(cancel(desk, one, ANA)).next_steps == []
