"""What a cancel would stop too is told before it, and is what it then takes along. Issue 3, 5."""

import random

import pytest

from tests.store.rows import ANA, put
from webapp.domain.states import CANCELLABLE, State
from webapp.store import transitions
from webapp.store.dependants import Dependant, above, stopped_with
from webapp.store.engine import Database


def told(db: Database, *roots: str, levels: int = 50) -> dict[str, list[str]]:
    with db.read() as tx:
        found = stopped_with(tx, roots, levels)
    return {root: [one.id for one in found[root]] for root in roots}


def upwards(db: Database, *ids: str, levels: int = 50) -> dict[str, list[str]]:
    with db.read() as tx:
        found = above(tx, ids, levels)
    return {one: found.get(one, []) for one in ids}


@pytest.mark.parametrize("seed", range(6))
def test_what_is_told_is_what_the_cancel_takes(database: Database, seed: int) -> None:
    """Promise 7: over random graphs of rows in every state."""
    chance = random.Random(seed)
    ids: list[str] = []
    live: list[str] = []
    for _ in range(14):
        parents = tuple(chance.sample(ids, min(len(ids), chance.choice((0, 1, 1, 2, 3)))))
        state = chance.choice([*CANCELLABLE, *CANCELLABLE, *CANCELLABLE, *State])
        ids.append(put(database, state, parents=parents))
        if state in CANCELLABLE:
            live.append(ids[-1])
    promised = told(database, *live)
    up = upwards(database, *live)
    for one in live:
        assert sorted(up[one]) == sorted(root for root in live if one in promised[root])
    root = chance.choice(live)
    won = database.transact(lambda tx: transitions.cancel(tx, root, ANA, "k"))
    assert won is not None
    assert sorted(promised[root]) == sorted(won[1])


def test_each_is_named_once_nearest_first(database: Database) -> None:
    """A diamond, and one that is below both levels."""
    root = put(database)
    left = put(database, kind="reply", parents=(root,), summary="Say so")
    right = put(database, State.HELD, parents=(root,))
    bottom = put(database, parents=(left, right))
    low = put(database, parents=(root, bottom))
    assert told(database, root, left, bottom) == {
        root: [left, right, low, bottom],
        left: [bottom, low],
        bottom: [low],
    }
    with database.read() as tx:
        first, second = stopped_with(tx, [root])[root][:2]
    assert first == Dependant(left, "reply", State.SCHEDULED, "Say so")
    assert (first.of.label, second.state) == ("Reply", State.HELD)


def test_it_goes_as_far_as_it_is_asked_to(database: Database) -> None:
    """So that a chain of thousands costs a screen nothing."""
    chain = [put(database)]
    for _ in range(5):
        chain.append(put(database, parents=(chain[-1],)))
    assert told(database, chain[0], levels=2) == {chain[0]: chain[1:3]}
    assert told(database, chain[0]) == {chain[0]: chain[1:]}
    assert upwards(database, chain[5], levels=2) == {chain[5]: sorted(chain[3:5])}


def test_of_nothing_there_is_nothing(database: Database) -> None:
    """No question is asked."""
    alone = put(database)
    with database.read() as tx:
        assert stopped_with(tx, []) == {}
        assert above(tx, []) == {}
    assert told(database, alone) == {alone: []}
