"""A test that can't fail proves nothing: each of these runs one with its bug in place."""

from collections.abc import Callable

import pytest

from tests.store import (
    test_arrows,
    test_concurrency,
    test_events,
    test_failed_parent,
    test_finish,
    test_plans,
)
from tests.store.planted import (
    CANCEL_WITHOUT_STATE,
    CLAIM_BY_A_SUBQUERY,
    DROPPED_BUT_WAITED_FOR,
    EVENTS_BY_ID_ALONE,
    FINISH_WITHOUT_ATTEMPT,
    FINISH_WITHOUT_STATE,
    HELD_BY_THE_PARENTS_KIND,
    UNBLOCK_BY_COUNTING,
    Bug,
    planted,
)
from webapp.domain.states import State
from webapp.store.engine import Database


def _parent_freed(db: Database) -> None:
    assert test_concurrency.finished_while_the_other_was_under_way(db) == 0


def _nothing_skipped(db: Database) -> None:
    happened, found = test_events.out_of_order(db)
    assert found == happened


BOTH: dict[str, tuple[Bug, Callable[[Database], None]]] = {
    "cancel without the state": (
        CANCEL_WITHOUT_STATE,
        lambda db: test_arrows.test_an_arrow_wins_from_its_own_states_only(db, "cancel"),
    ),
    "finish without the attempt": (
        FINISH_WITHOUT_ATTEMPT,
        test_finish.test_an_older_attempt_changes_nothing,
    ),
    "finish without the state": (
        FINISH_WITHOUT_STATE,
        lambda db: test_finish.test_nothing_but_a_running_row_is_finished(db, State.UNKNOWN),
    ),
    "a child held as its parent's kind says": (
        HELD_BY_THE_PARENTS_KIND,
        lambda db: test_failed_parent.test_the_childs_kind_decides(db, "worker"),
    ),
    "a dropped dependency that is waited for": (
        DROPPED_BUT_WAITED_FOR,
        test_failed_parent.test_released_it_drops_the_dependency_and_runs,
    ),
}
POSTGRESQL: dict[str, tuple[Bug, Callable[[Database], None]]] = {
    "unblocking by a count": (UNBLOCK_BY_COUNTING, _parent_freed),
    "events by their id alone": (EVENTS_BY_ID_ALONE, _nothing_skipped),
}


@pytest.mark.parametrize("name", BOTH)
def test_the_bug_is_found(database: Database, name: str) -> None:
    """Promises 1, 5 and 7: the guards are what holds, on both databases."""
    bug, check = BOTH[name]
    with pytest.raises(AssertionError), planted(database, bug):
        check(database)


@pytest.mark.parametrize("name", POSTGRESQL)
def test_the_bug_of_many_connections_is_found(postgresql_url: str, name: str) -> None:
    """Promise 10 and the cascade: only with several writers at once can it go wrong."""
    bug, check = POSTGRESQL[name]
    db = Database(postgresql_url)
    with pytest.raises(AssertionError), planted(db, bug):
        check(db)
    db.close()


def test_a_claim_by_a_plain_subquery_is_found(new_database: Callable[[str], str]) -> None:
    """DESIGN, traps: the plan asks the subquery anew for each row, and each time it skips on."""
    db = Database(new_database("postgresql"))
    with planted(db, CLAIM_BY_A_SUBQUERY):
        taken, plan = test_plans.claimed_by_old_statistics(db, slots=3)
    db.close()
    assert taken > 3, plan
    assert "Nested Loop Semi Join" in plan
