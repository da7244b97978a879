"""What ends takes its descendants along, and its stock goes back exactly once."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.store.rows import (
    ANA,
    available,
    claim_all,
    end,
    put,
    put_exchange,
    row,
    states,
    stocked,
    verbs,
)
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import transitions
from webapp.store.consequences import cascaded
from webapp.store.engine import Database, Tx

ENDINGS: dict[str, tuple[State, Callable[[Tx, str], Any]]] = {
    "cancelled": (State.SCHEDULED, lambda tx, one: transitions.cancel(tx, one, ANA, "k")),
    "rejected": (State.AWAITING_APPROVAL, lambda tx, one: transitions.reject(tx, one, ANA)),
    "failed": (
        State.UNKNOWN,
        lambda tx, one: transitions.resolve_did_not_happen(tx, one, ANA),
    ),
}


@pytest.mark.parametrize("how", ENDINGS)
def test_every_descendant_ends_with_it(database: Database, how: str) -> None:
    """Promise 7; CASES Yelp/Tron#202: one transaction, three levels and a diamond."""
    state, move = ENDINGS[how]
    root = put(database, state)
    left = put(database, parents=(root,))
    right = put(database, State.HELD, parents=(root,))
    bottom = put(database, State.AWAITING_APPROVAL, parents=(left, right))
    deep = put(database, parents=(bottom,))
    bystander = put(database, due=60 * SECOND)
    assert database.transact(lambda tx: move(tx, root)) is not None
    taken = [left, right, bottom, deep]
    assert states(database, root, *taken, bystander) == [how, *["cancelled"] * 4, "scheduled"]
    for one in taken:
        assert verbs(database, one) == ["drafted", "cancelled_with_parent"]
        assert root in row(database, one).cancel_reason
        assert row(database, one).cancelled_by == ANA.actor
    with database.read() as tx:
        assert cascaded(tx, root) == sorted(taken)
    assert [one.id for one in claim_all(database)] == []


def test_a_cancel_names_whom_it_took_along(database: Database) -> None:
    """CONTRACT, `also_cancelled`."""
    root = put(database)
    ids = [put(database, parents=(root,)) for _ in range(3)]
    won = database.transact(lambda tx: transitions.cancel(tx, root, ANA, "k"))
    assert won is not None
    assert won[1] == sorted(ids)


def test_what_runs_or_is_over_is_not_taken_along(database: Database) -> None:
    """The cascade is made of arrows: it moves only what could be cancelled."""
    root = put(database, due=60 * SECOND)
    ids = {state: put(database, state, parents=(root,)) for state in State}
    before = {state: row(database, one) for state, one in ids.items()}
    won = database.transact(lambda tx: transitions.cancel(tx, root, ANA, "k"))
    assert won is not None
    open_before = {State.SCHEDULED, State.HELD, State.AWAITING_APPROVAL}
    assert sorted(won[1]) == sorted(ids[state] for state in open_before)
    for state in set(State) - open_before:
        assert row(database, ids[state]) == before[state]


def test_stock_goes_back_once_however_it_ends(database: Database) -> None:
    """Promise 8: released exactly once, of parents and descendants alike."""
    stocked(database, 10)
    root = put_exchange(database, quantity=2)
    child = put_exchange(database, quantity=3, state=State.SCHEDULED)
    both = put(database, parents=(root, child))
    assert available(database) == 5
    assert database.transact(lambda tx: transitions.cancel(tx, root, ANA, "k")) is not None
    assert available(database) == 7
    assert states(database, both) == ["cancelled"]
    for _ in range(2):
        database.transact(lambda tx: transitions.cancel(tx, root, ANA, "k"))
    assert available(database) == 7
    assert database.transact(lambda tx: transitions.cancel(tx, child, ANA, "k")) is not None
    assert available(database) == 10


@pytest.mark.parametrize(
    ("state", "left"),
    [(State.EXECUTED, 9), (State.UNKNOWN, 9), (State.FAILED, 10), (State.SCHEDULED, 9)],
)
def test_stock_is_kept_while_the_effect_happened_or_may_have(
    database: Database, state: State, left: int
) -> None:
    """DESIGN: released on cancel, reject, fail; kept while unknown and on execution."""
    stocked(database, 10)
    one = put_exchange(database)
    claim_all(database)
    end(database, one, state, effect="{}", error="{}", retry_at=database.now() + SECOND)
    assert available(database) == left


def test_under_an_unknown_parent_children_wait(database: Database) -> None:
    """DESIGN: neither run nor cancelled until it is known."""
    parent = put(database)
    child = put(database, parents=(parent,))
    claim_all(database)
    end(database, parent, State.UNKNOWN, error="{}")
    assert claim_all(database) == []
    assert states(database, child) == ["scheduled"]
    database.transact(lambda tx: transitions.resolve_happened(tx, parent, ANA, "{}"))
    assert [one.id for one in claim_all(database)] == [child]


def test_a_child_becomes_claimable_when_its_last_parent_is_executed(database: Database) -> None:
    """DESIGN: overdue counts from when a row became claimable."""
    first, second = put(database), put(database)
    child = put(database, due=-60 * SECOND, parents=(first, second))
    for left, parent in ((1, first), (0, second)):
        assert row(database, child).blockers == left + 1
        claim_all(database)
        assert end(database, parent) == []
        assert row(database, child).blockers == left
    assert row(database, child).claimable_at >= row(database, second).finished_at
