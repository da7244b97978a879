"""Many at once, with real threads and connections: the counts come out right."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from sqlalchemy import select, text, update

from tests.fixtures.desk import wait_until
from tests.store.rows import (
    ANA,
    LEASE,
    WORKER,
    claim_all,
    put,
    row,
    states,
)
from tests.store.test_events import held_open
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import claims, transitions
from webapp.store.claims import Finish
from webapp.store.engine import Database, Tx, host_clock
from webapp.store.schema import action

T = TypeVar("T")


_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def together(works: Sequence[Callable[[], T]]) -> list[T]:
    """Run all in threads that start at one moment; their results, or the first error."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        barrier.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def unblocked_by_two_at_once(db: Database, pairs: int = 6) -> list[int]:
    """The blockers left of each child whose two parents finished at the same moment."""
    left = []
    for _ in range(pairs):
        parents = (put(db), put(db))
        child = put(db, due=600 * SECOND, parents=parents)
        attempts = {taken.id: taken.attempt for taken in claim_all(db)}

        def done(parent: str, attempt: int) -> Callable[[], list[Finish]]:
            result = Finish(parent, attempt, State.EXECUTED, effect="{}")
            return lambda: db.transact(lambda tx: claims.finish(tx, WORKER, [result]))

        assert together([done(one, attempts[one]) for one in parents]) == [[], []]
        left.append(row(db, child).blockers)
    return left


def finished_while_the_other_was_under_way(db: Database) -> int:
    """PostgreSQL: the blockers left when the second parent finishes before the first commits."""
    parents = (put(db), put(db))
    child = put(db, due=600 * SECOND, parents=parents)
    attempts = {taken.id: taken.attempt for taken in claim_all(db)}

    def done(tx: Tx, parent: str) -> None:
        result = Finish(parent, attempts[parent], State.EXECUTED, effect="{}")
        assert claims.finish(tx, WORKER, [result]) == []

    def waiting() -> bool:
        with db.read() as tx:
            return bool(tx.conn.scalar(_WAITING))

    with held_open(db) as slow:
        done(Tx(slow, host_clock), parents[0])
        second = threading.Thread(target=db.transact, args=(lambda tx: done(tx, parents[1]),))
        second.start()
        wait_until(waiting, seconds=30)
        slow.commit()
        second.join()
    return int(row(db, child).blockers)


def test_a_parent_that_finishes_beside_another_sees_it(postgresql_url: str) -> None:
    """As below, at the one moment when it matters."""
    db = Database(postgresql_url)
    left = finished_while_the_other_was_under_way(db)
    db.close()
    assert left == 0


def test_two_parents_that_finish_at_once_free_their_child(database: Database) -> None:
    """DESIGN: a decrement, not a count: each would count the other as unfinished."""
    assert unblocked_by_two_at_once(database) == [0] * 6


def test_each_row_is_claimed_by_one_worker(database: Database) -> None:
    """CASES nextcloud/mail#6194, agronholm/apscheduler#766: N at once, one effect each."""
    ids = {put(database, due=-number) for number in range(60)}

    def work(number: int) -> Callable[[], list[str]]:
        def run() -> list[str]:
            mine: list[str] = []
            while taken := database.statement(
                lambda tx: claims.claim(tx, f"worker:{number}", 3, LEASE)
            ):
                assert len(taken) <= 3
                mine += [one.id for one in taken]
            return mine

        return run

    taken = together([work(number) for number in range(6)])
    everything = [one for part in taken for one in part]
    assert len(everything) == len(ids)
    assert set(everything) == ids
    with database.read() as tx:
        assert set(tx.conn.scalars(select(action.c.attempt))) == {1}


def test_of_many_cancels_one_wins(database: Database) -> None:
    """Promise 1: a conditional write has one winner."""
    one = put(database)

    def attempt() -> bool:
        return database.transact(lambda tx: transitions.cancel(tx, one, ANA, "k")) is not None

    won = [result for result in together([attempt] * 12) if result]
    assert len(won) == 1
    assert row(database, one).version == 2


def test_cancel_against_claim_has_one_winner(database: Database) -> None:
    """Promise 1, in threads; tests/races has the thousands of trials in processes."""
    for _ in range(15):
        one = put(database)
        works: list[Callable[[], bool]] = [
            lambda one=one: database.transact(  # type: ignore[misc]
                lambda tx: transitions.cancel(tx, one, ANA, "k") is not None
            ),
            lambda: bool(claim_all(database)),
        ]
        cancelled, claimed = together(works)
        assert cancelled is not claimed
        assert states(database, one) == ["cancelled" if cancelled else "executing"]


def test_a_cascade_against_a_childs_claim_has_one_winner_for_each(database: Database) -> None:
    """Promise 7: no live child under a cancelled parent, whatever the moment."""
    for _ in range(8):
        root = put(database, due=600 * SECOND)
        child = put(database, parents=(root,))
        grandchild = put(database, parents=(child,))

        def cancel(one: str) -> Any:
            return database.transact(lambda tx: transitions.cancel(tx, one, ANA, one))

        works: list[Callable[[], Any]] = [
            lambda root=root: cancel(root),  # type: ignore[misc]
            lambda child=child: cancel(child),  # type: ignore[misc]
            lambda: claim_all(database),
        ]
        together(works)
        assert states(database, root, child, grandchild) == ["cancelled"] * 3


def test_a_deadlock_is_tried_again(postgresql_url: str) -> None:
    """DESIGN, store: a transaction is run again after a deadlock; nobody is told of it."""
    db = Database(postgresql_url)
    one, other = put(db), put(db)
    first_time = threading.Barrier(2)
    runs = [0, 0]

    def crossing(number: int, ids: tuple[str, str]) -> Callable[[], None]:
        def work(tx: Tx) -> None:
            runs[number] += 1
            tx.conn.execute(text("SET LOCAL deadlock_timeout = '20ms'"))
            for step, target in enumerate(ids):
                if step == 1 and runs[number] == 1:
                    first_time.wait(30)
                longer = action.c.summary + "."
                move = update(action).where(action.c.id == target).values(summary=longer)
                tx.conn.execute(move)

        return lambda: db.transact(work)

    together([crossing(0, (one, other)), crossing(1, (other, one))])
    assert sorted(runs) == [1, 2], "one of them was the deadlock's victim, once"
    assert [row(db, each).summary for each in (one, other)] == ["Do it.."] * 2
    db.close()


@pytest.mark.parametrize("error", [ValueError, KeyError])
def test_a_mistake_is_not_tried_again(database: Database, error: type[Exception]) -> None:
    """Only the database's state is a reason to run a transaction again."""
    runs = 0

    def work(tx: Tx) -> Any:
        nonlocal runs
        runs += 1
        raise error("mine")

    with pytest.raises(error):
        database.transact(work)
    assert runs == 1
