"""A customer's objection: it stops what can still be stopped, and people see it in any case."""

from threading import Barrier, Thread
from typing import Any

import pytest

from tests.services.people import ANA, drafted, due
from tests.store.rows import GONE, claim_all, put
from webapp.domain.action import Action
from webapp.domain.errors import NotFound, TooLate
from webapp.domain.states import RAN_OUT, TOO_LATE, State
from webapp.domain.times import SECOND
from webapp.services import objection, read
from webapp.services.cancel import CancelTooLate, cancel
from webapp.services.clock import hold, release, reservation
from webapp.services.desk import Desk
from webapp.services.objection import CUSTOMER, WORDS, object_to
from webapp.services.status import Status, by_token, token
from webapp.store import claims
from webapp.store.claims import Finish

WORKER = "worker:w1"


def seen(desk: Desk, action_id: str) -> Action:
    return read.get(desk, action_id, ANA)


def page(desk: Desk, action_id: str) -> Status:
    found = by_token(desk, token(desk.settings, action_id))
    assert found is not None
    return found


def verbs(desk: Desk, action_id: str) -> list[tuple[str, str]]:
    return [(event.verb, event.actor) for event in read.timeline(desk, action_id, ANA)]


def test_inside_the_window_it_holds(desk: Desk) -> None:
    """DESIGN, arrows: `scheduled` ⇄ `held` by the customer. The words stand on the row."""
    made = drafted(desk)
    object_to(desk, made.id)
    found = seen(desk, made.id)
    assert (found.state, found.state_by, found.state_reason) == (State.HELD, "customer", WORDS)
    assert found.execute_at is None
    assert (page(desk, made.id).status, page(desk, made.id).objected) == ("held", True)


def test_once_is_enough(desk: Desk) -> None:
    """A double click, a reload of the form: nothing more is written. Promise 9."""
    made = drafted(desk)
    object_to(desk, made.id)
    found, told = seen(desk, made.id), verbs(desk, made.id)
    object_to(desk, made.id)
    assert (seen(desk, made.id), verbs(desk, made.id)) == (found, told)


def test_after_a_release_it_can_be_said_again(desk: Desk) -> None:
    """Whoever released it has looked; the customer may still disagree with what they saw."""
    made = drafted(desk)
    object_to(desk, made.id)
    release(desk, made.id, ANA)
    assert page(desk, made.id).may_object
    object_to(desk, made.id)
    assert seen(desk, made.id).state is State.HELD


@pytest.mark.parametrize("state", [State.HELD, State.AWAITING_APPROVAL])
def test_what_waits_for_people_says_it_ahead_of_its_own_reason(desk: Desk, state: State) -> None:
    """Its version rises: whoever had it on screen without that looks again before deciding."""
    one = put(desk.db, state, state_by="staff:bo@example.com", state_reason="looks odd")
    before = seen(desk, one)
    for _ in range(2):
        object_to(desk, one)
    found = seen(desk, one)
    assert (found.state, found.version) == (state, before.version + 1)
    assert found.state_by == before.state_by, "who held it held it"
    assert found.state_reason == f"{WORDS}; before that: looks odd"
    assert verbs(desk, one).count(("objected", "customer")) == 1
    assert page(desk, one).objected


@pytest.mark.parametrize("state", sorted(TOO_LATE))
def test_too_late_it_is_kept_and_shown_like_a_cancel_that_lost(desk: Desk, state: State) -> None:
    one = put(desk.db, state)
    for _ in range(2):
        object_to(desk, one)
    found = seen(desk, one)
    assert found.state is state
    assert (found.late_cancel_by, found.late_cancel_reason) == ("customer", WORDS)
    assert found.late_cancel_at is not None
    assert verbs(desk, one).count(("objected", "customer")) == 1
    assert page(desk, one).objected


def test_a_cancel_that_lost_before_it_keeps_its_name_on_the_row(desk: Desk) -> None:
    """Both stand in the timeline, and the customer reads that it was heard."""
    one = put(desk.db, State.EXECUTED)
    assert isinstance(cancel(desk, one, ANA), CancelTooLate)
    for _ in range(2):
        object_to(desk, one)
    assert seen(desk, one).late_cancel_by == ANA.actor
    assert verbs(desk, one).count(("objected", "customer")) == 1
    assert page(desk, one).objected


@pytest.mark.parametrize("state", sorted(RAN_OUT))
def test_what_ended_without_an_effect_stays_as_it_is(desk: Desk, state: State) -> None:
    one = put(desk.db, state)
    before = seen(desk, one), verbs(desk, one)
    object_to(desk, one)
    assert (seen(desk, one), verbs(desk, one)) == before
    assert not page(desk, one).may_object


def test_an_attempt_that_had_no_effect_is_not_tried_again(desk: Desk) -> None:
    """Said while it was being sent: nothing goes out after that."""
    one = put(desk.db, State.EXECUTING, attempt=1, worker=WORKER)
    object_to(desk, one)
    later = desk.now() + 60 * SECOND
    again = Finish(one, 1, State.SCHEDULED, None, '{"message": "no"}', later)
    assert not desk.db.transact(lambda tx: claims.finish(tx, WORKER, [again]))
    found = seen(desk, one)
    assert (found.state, found.cancelled_by) == (State.CANCELLED, "customer")


def test_of_nothing_it_says_so(desk: Desk) -> None:
    with pytest.raises(NotFound):
        object_to(desk, GONE)


@pytest.mark.parametrize("round_", range(5))
def test_an_objection_against_the_claim(desk: Desk, round_: int) -> None:
    """Promise 1: one of them wins, and the row and the customer's page say which."""
    made = drafted(desk)
    due(desk, made.id)
    start = Barrier(2)

    def customer() -> None:
        start.wait(10)
        object_to(desk, made.id)

    def worker() -> None:
        start.wait(10)
        claim_all(desk.db)

    both = [Thread(target=one) for one in (customer, worker)]
    for one in both:
        one.start()
    for one in both:
        one.join(30)
    found, told = seen(desk, made.id), page(desk, made.id)
    if found.state is State.HELD:
        assert (found.attempt, found.late_cancel_at, told.status) == (0, None, "held")
    else:
        assert (found.state, found.late_cancel_by) == (State.EXECUTING, "customer")
        assert told.status == "working"
    assert told.objected


def test_what_is_read_is_what_is_held(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim between the look and the hold would leave the customer without an answer."""
    made = drafted(desk)
    due(desk, made.id)
    claim = Thread(target=claim_all, args=(desk.db,))

    def meanwhile(*given: Any) -> int:
        claim.start()
        if desk.db.dialect == "postgresql":
            claim.join(30)  # SQLite's one writer is the objection: there the claim has to wait
        return reservation(*given)

    monkeypatch.setattr(objection, "reservation", meanwhile)
    object_to(desk, made.id)
    claim.join(30)
    assert seen(desk, made.id).state is State.HELD
    assert (page(desk, made.id).status, page(desk, made.id).objected) == ("held", True)


@pytest.mark.parametrize("round_", range(5))
def test_an_objection_against_a_persons_hold(desk: Desk, round_: int) -> None:
    """Whoever is first, it is held once, and the row says that the customer objects."""
    made = drafted(desk)
    start = Barrier(2)

    def customer() -> None:
        start.wait(10)
        object_to(desk, made.id)

    def ana() -> None:
        start.wait(10)
        try:
            hold(desk, made.id, ANA, reason="odd")
        except TooLate:
            return

    both = [Thread(target=one) for one in (customer, ana)]
    for one in both:
        one.start()
    for one in both:
        one.join(30)
    found = seen(desk, made.id)
    assert found.state is State.HELD
    assert (found.state_reason or "").startswith(WORDS)
    assert [verb for verb, _ in verbs(desk, made.id)].count("held") == 1
    assert page(desk, made.id).objected
    assert CUSTOMER.actor in {actor for _, actor in verbs(desk, made.id)}
