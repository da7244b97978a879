"""How each answer of a connector is written down."""

import random
from collections.abc import Callable

import pytest

from tests.fixtures.desk import wait_until
from tests.worker.stage import Recorder, get, make_desk, plant, row, taken, timeline, until, working
from webapp.connectors.base import Effect, EffectFailed, EffectRequest
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.execute import LONGEST_PAUSE, pause_seconds
from webapp.store import policies
from webapp.store.asker import Asker
from webapp.store.engine import Database
from webapp.store.transitions import record_late_cancel

Answer = Callable[[EffectRequest], Effect]


def failing(*, permanent: bool, may_have: bool) -> Answer:
    def answer(_: EffectRequest) -> Effect:
        raise EffectFailed(
            "the provider said no",
            permanent=permanent,
            may_have_happened=may_have,
            detail={"code": 402},
        )

    return answer


def in_turn(*answers: Answer) -> Answer:
    """The first call is answered by the first, and so on."""
    left = iter(answers)

    def answer(request: EffectRequest) -> Effect:
        return next(left)(request)

    return answer


def broken(_: EffectRequest) -> Effect:
    raise ZeroDivisionError("a bug in a connector")


def run_once(db: Database, connector: Recorder, attempts: int = 5) -> Action:
    """One action through one attempt, with `max_attempts` as given."""
    db.transact(lambda tx: policies.write(tx, "refund", {"max_attempts": attempts}, "t"))
    (one,) = plant(db, row(db.now()))
    with working(make_desk(db, sweep_seconds=60), connector):
        return until(db, one, *_ENDED, seconds=10) if attempts == 1 else _after_one(db, one)


_ENDED = (State.EXECUTED, State.FAILED, State.UNKNOWN)


def _after_one(db: Database, one: str) -> Action:
    wait_until(lambda: len(timeline(db, one)) >= 2)
    return get(db, one)


def test_a_refusal_is_failed_and_says_so_plainly(database: Database) -> None:
    """getlago/lago-api#6257: a terminal answer of the provider is terminal."""
    done = run_once(database, Recorder(failing(permanent=True, may_have=False)))
    assert done.state is State.FAILED
    assert done.error == {
        "message": "the provider said no",
        "permanent": True,
        "may_have_happened": False,
        "detail": {"code": 402},
    }


def test_a_passing_failure_is_tried_again_later(database: Database) -> None:
    began = database.now()
    done = run_once(database, Recorder(failing(permanent=False, may_have=False)))
    assert done.state is State.SCHEDULED
    assert done.execute_at is not None
    assert began + SECOND <= done.execute_at <= database.now() + 2 * SECOND
    assert [event.verb for event in timeline(database, done.id)] == ["claimed", "retried"]


def test_attempts_run_out(database: Database) -> None:
    done = run_once(database, Recorder(failing(permanent=False, may_have=False)), attempts=1)
    assert done.state is State.FAILED


def test_the_second_attempt_has_the_same_key(database: Database) -> None:
    """saleor/apps#2446: a redelivered request got a new key, and refunded twice."""
    connector = Recorder(in_turn(failing(permanent=False, may_have=False), taken))
    (one,) = plant(database, row(database.now()))
    with working(make_desk(database), connector):
        done = until(database, one, State.EXECUTED)
    first, second = (request for request, _ in connector.sent)
    assert first.key == second.key == f"act_{one}"
    assert (first.attempt, second.attempt, done.attempt) == (1, 2, 2)


@pytest.mark.parametrize("answer", [failing(permanent=False, may_have=True), broken])
def test_an_outcome_that_nobody_knows_is_unknown_and_not_tried_again(
    database: Database, answer: Answer
) -> None:
    """nextcloud/mail#6540: the same mail was sent again every five minutes. Promise 6."""
    done = run_once(database, connector := Recorder(answer))
    assert done.state is State.UNKNOWN
    assert done.error is not None
    assert done.error["may_have_happened"]
    assert len(connector.sent) == 1


def test_the_provider_is_asked_where_it_can_be(database: Database) -> None:
    lost = failing(permanent=False, may_have=True)
    there = run_once(database, Recorder(lost, known=taken, can_look_up=True))
    assert there.state is State.EXECUTED
    absent = run_once(database, Recorder(lost, can_look_up=True))
    assert absent.state is State.SCHEDULED


def test_in_doubt_the_same_key_is_sent_again_by_the_sweep(database: Database) -> None:
    """A provider that dedupes and can't be asked: not `scheduled`, so that no cancel can lie."""
    connector = Recorder(in_turn(failing(permanent=False, may_have=True), taken), dedupes=True)
    (one,) = plant(database, row(database.now()))
    with working(make_desk(database), connector):
        done = until(database, one, State.EXECUTED)
    assert done.attempt == 2
    verbs = [event.verb for event in timeline(database, one)]
    assert verbs == ["claimed", "in_doubt", "taken_over", "executed"]
    assert len({request.key for request, _ in connector.sent}) == 1


def test_in_doubt_to_the_end_is_unknown(database: Database) -> None:
    lost = failing(permanent=False, may_have=True)
    done = run_once(database, Recorder(lost, dedupes=True), attempts=1)
    assert done.state is State.UNKNOWN


def test_a_cancel_recorded_meanwhile_wins_when_there_was_no_effect(database: Database) -> None:
    def declined(request: EffectRequest) -> Effect:
        asker = Asker("staff:ana@example.com", "a mistake")
        database.transact(lambda tx: record_late_cancel(tx, request.action_id, asker, {}, "k"))
        raise EffectFailed("busy", permanent=False, may_have_happened=False)

    (one,) = plant(database, row(database.now()))
    with working(make_desk(database), Recorder(declined)):
        done = until(database, one, State.CANCELLED)
    assert (done.cancelled_by, done.cancel_reason) == ("staff:ana@example.com", "a mistake")


def test_pauses_grow_up_to_a_minute() -> None:
    for attempt in range(1, 101):
        longest = min(LONGEST_PAUSE, 2**attempt)
        drawn = [pause_seconds(attempt, random.Random(attempt)) for _ in range(5)]
        assert all(longest / 2 <= pause <= longest for pause in drawn)
