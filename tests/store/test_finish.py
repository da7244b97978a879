"""Finishing: fenced by state and attempt, in batches, with all that follows from it."""

import pytest

from tests.store.rows import (
    LEASE,
    WORKER,
    claim_all,
    end,
    put,
    row,
    states,
    verbs,
)
from tests.store.test_claims import lose, swept
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.claims import Finish, finish
from webapp.store.engine import Database

BOB = Asker("staff:bob@example.com", "changed my mind")


def test_an_older_attempt_changes_nothing(database: Database) -> None:
    """Promise 5; CASES oban-bg/oban#532: a late finisher is fenced out by the attempt."""
    one = put(database)
    (old,) = claim_all(database)
    lose(database, one)
    swept(database)
    before = row(database, one)
    late = Finish(one, old.attempt, State.EXECUTED, effect="{}")
    assert database.transact(lambda tx: finish(tx, WORKER, [late])) == [late]
    assert row(database, one) == before
    assert end(database, one) == []
    assert database.transact(lambda tx: finish(tx, WORKER, [late])) == [late]
    assert states(database, one) == ["executed"]


@pytest.mark.parametrize("first", [0, 1])
def test_two_attempts_of_one_action_that_end_together(database: Database, first: int) -> None:
    """Promise 5: a worker that took its own lost attempt over has both; the older one is late."""
    one = put(database)
    claim_all(database)
    lose(database, one)
    swept(database)
    old = Finish(one, 1, State.SCHEDULED, error="{}", retry_at=database.now())
    new = Finish(one, 2, State.EXECUTED, effect="{}")
    both = [old, new] if first == 0 else [new, old]
    assert database.transact(lambda tx: finish(tx, WORKER, both)) == [old]
    assert states(database, one) == ["executed"]


@pytest.mark.parametrize("state", [s for s in State if s is not State.EXECUTING])
def test_nothing_but_a_running_row_is_finished(database: Database, state: State) -> None:
    """CASES riverqueue/river#1302: whoever comes late does not overwrite a finished row."""
    one = put(database, state, due=60 * SECOND)
    before = row(database, one)
    late = Finish(one, before.attempt, State.FAILED, error="{}")
    assert database.transact(lambda tx: finish(tx, WORKER, [late])) == [late]
    assert row(database, one) == before


def test_a_batch_ends_each_row_in_its_own_way(database: Database) -> None:
    """DESIGN, Hot path: finishing shares a commit; on a mismatch each row stands for itself."""
    wanted = [State.EXECUTED, State.FAILED, State.UNKNOWN, State.SCHEDULED, State.EXECUTING]
    ids = [put(database, due=number - 100) for number, _ in enumerate(wanted)]
    gone = put(database, due=-1)
    taken = {one.id: one for one in claim_all(database)}
    lose(database, gone)
    swept(database)
    at = database.now() + 60 * SECOND
    results = [
        Finish(
            one,
            taken[one].attempt,
            state,
            effect='{"status":"settled"}' if state is State.EXECUTED else None,
            error=None if state is State.EXECUTED else '{"message":"é \\u0000"}',
            retry_at=at if state in (State.SCHEDULED, State.EXECUTING) else None,
            data=f'{{"n":{number}}}',
        )
        for number, (one, state) in enumerate(zip(ids, wanted, strict=True))
    ]
    late = Finish(gone, 1, State.EXECUTED, effect="{}")
    assert database.transact(lambda tx: finish(tx, WORKER, [*results, late])) == [late]
    assert states(database, *ids) == wanted
    assert states(database, gone) == ["executing"]
    done, failed, _, again, doubt = (row(database, one) for one in ids)
    assert (done.effect, done.error) == ('{"status":"settled"}', None)
    assert failed.error == '{"message":"é \\u0000"}'
    assert again.execute_at == again.claimable_at == again.cancel_by == at
    assert (doubt.lease_until, doubt.worker) == (at, "")
    last = [verbs(database, one)[-1] for one in ids]
    assert last == ["executed", "failed", "unknown", "retried", "in_doubt"]


def test_a_failed_attempt_without_effect_is_tried_again_later(database: Database) -> None:
    """DESIGN: executing -> scheduled, same key, next attempt."""
    one = put(database)
    claim_all(database)
    assert end(database, one, State.SCHEDULED, retry_at=database.now() - 1) == []
    (taken,) = claim_all(database)
    assert (taken.id, taken.attempt) == (one, 2)


def test_a_recorded_cancel_wins_when_the_attempt_had_no_effect(database: Database) -> None:
    """CONTRACT, `cancel_recorded`: it becomes cancelled instead of being tried again."""
    one = put(database)
    child = put(database, parents=(one,))
    claim_all(database)
    database.transact(lambda tx: transitions.record_late_cancel(tx, one, BOB, {}, "k"))
    assert end(database, one, State.SCHEDULED, retry_at=database.now()) == []
    found = row(database, one)
    assert (found.state, found.cancelled_by, found.cancel_reason) == (
        "cancelled",
        BOB.actor,
        BOB.reason,
    )
    assert found.finished_at == found.cancelled_at
    assert states(database, child) == ["cancelled"]
    assert claim_all(database) == []


@pytest.mark.parametrize("state", [State.EXECUTED, State.UNKNOWN])
def test_a_recorded_cancel_changes_no_other_ending(database: Database, state: State) -> None:
    """DESIGN: cancelled would be a lie where the effect happened, or may have."""
    one = put(database)
    claim_all(database)
    database.transact(lambda tx: transitions.record_late_cancel(tx, one, BOB, {}, "k"))
    assert end(database, one, state, effect="{}", error="{}") == []
    assert states(database, one) == [state]


def test_a_recorded_cancel_wins_over_a_permanent_failure(database: Database) -> None:
    """CONTRACT, `cancel_recorded`: it certainly had no effect, and the provider's words stay."""
    one = put(database)
    claim_all(database)
    database.transact(lambda tx: transitions.record_late_cancel(tx, one, BOB, {}, "k"))
    assert end(database, one, State.FAILED, error='{"message": "no such payment"}') == []
    found = row(database, one)
    assert (found.state, found.cancelled_by) == ("cancelled", BOB.actor)
    assert found.error == '{"message": "no such payment"}'


def test_an_unknown_outcome_is_settled_by_a_person(database: Database) -> None:
    """Promise 6; CASES nextcloud/mail#6540: never tried again blindly."""
    ids = [put(database, State.UNKNOWN) for _ in range(3)]
    happened, not_happened, withdrawn = ids
    assert claim_all(database) == []
    assert swept(database) == []
    database.transact(lambda tx: transitions.record_late_cancel(tx, withdrawn, BOB, {}, "k"))
    database.transact(lambda tx: transitions.resolve_happened(tx, happened, BOB, '{"status":"x"}'))
    for one in (not_happened, withdrawn):
        database.transact(lambda tx, one=one: transitions.resolve_did_not_happen(tx, one, BOB))  # type: ignore[misc]
    assert states(database, *ids) == ["executed", "failed", "cancelled"]
    assert row(database, happened).effect == '{"status":"x"}'
    found = row(database, withdrawn)
    assert (found.cancelled_by, found.cancel_reason) == (BOB.actor, BOB.reason)
    assert found.state_by == BOB.actor


def test_a_row_in_doubt_belongs_to_the_sweep_when_its_time_comes(database: Database) -> None:
    """Promise 5: the same key again, or a look-up; never put back to scheduled."""
    one = put(database)
    claim_all(database)
    end(database, one, State.EXECUTING, retry_at=database.now() + LEASE)
    assert swept(database) == []
    lose(database, one)
    assert [(taken.id, taken.attempt) for taken in swept(database)] == [(one, 2)]
