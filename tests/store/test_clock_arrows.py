"""The arrows that move an action's time, and what they do to its reservation."""

import pytest
from sqlalchemy import update

from tests.store.rows import ANA, put, put_exchange, row, stocked
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import stock, transitions
from webapp.store.engine import Database
from webapp.store.hold import RENEWALS
from webapp.store.schema import action
from webapp.store.transitions import EXTENSIONS_AT_LEAST, RELEASE_AT_LEAST

RESERVE = 1_800 * SECOND


def hold(db: Database, one: str) -> None:
    assert db.transact(lambda tx: transitions.hold(tx, one, ANA, RESERVE)) is not None


def release(db: Database, one: str) -> None:
    assert db.transact(lambda tx: transitions.release(tx, one, ANA)) is not None


def extend(db: Database, one: str, span: int) -> bool:
    return db.transact(lambda tx: transitions.extend(tx, one, ANA, span, RESERVE)) is not None


def test_a_hold_stops_the_clock_and_a_release_gives_back_what_was_left(database: Database) -> None:
    """CONTRACT: `execute_at` null; restart with the time that was left."""
    one = put(database, due=200 * SECOND)
    before = row(database, one)
    hold(database, one)
    held = row(database, one)
    assert (held.execute_at, held.cancel_by) == (None, None)
    assert 0 < held.held_left <= 200 * SECOND
    with database.read() as tx:
        begun = tx.now()
    release(database, one)
    after = row(database, one)
    assert after.execute_at >= before.execute_at
    assert after.execute_at >= begun + held.held_left
    assert after.cancel_by == after.execute_at - after.margin
    assert (after.held_left, after.claimable_at) == (None, after.execute_at)


@pytest.mark.parametrize("due", [-60, 0, 29])
def test_a_release_leaves_people_at_least_thirty_seconds(database: Database, due: int) -> None:
    """CONTRACT, release: at least 30 s."""
    one = put(database, due=due * SECOND)
    hold(database, one)
    with database.read() as tx:
        begun = tx.now()
    release(database, one)
    assert begun + RELEASE_AT_LEAST <= row(database, one).execute_at < begun + 60 * SECOND


def test_what_was_held_from_the_start_gets_its_whole_window(database: Database) -> None:
    """DESIGN: a draft may begin held; it has no time left to restart with."""
    one = put(database, State.HELD, execute_at=None, cancel_by=None)
    with database.read() as tx:
        begun = tx.now()
    release(database, one)
    found = row(database, one)
    assert found.execute_at >= begun + found.window + found.margin


def test_no_arrow_brings_it_before_the_agents_time(database: Database) -> None:
    """CONTRACT: `execute_at` is never before `not_before`."""
    later = database.now() + 86_400 * SECOND
    held = put(database, State.HELD, not_before_at=later, held_left=SECOND)
    waiting = put(database, State.AWAITING_APPROVAL, not_before_at=later)
    release(database, held)
    database.transact(lambda tx: transitions.approve(tx, waiting, ANA, 10 * SECOND))
    for one in (held, waiting):
        found = row(database, one)
        assert (found.execute_at, found.cancel_by) == (later, later - found.margin)


def test_extensions_end_at_the_larger_of_ten_windows_and_an_hour(database: Database) -> None:
    """CONTRACT, extension: 409 `limit`."""
    short = put(database, due=60 * SECOND, window=10 * SECOND)
    long = put(database, due=60 * SECOND, window=600 * SECOND)
    for one, most in ((short, EXTENSIONS_AT_LEAST), (long, 6_000 * SECOND)):
        before = row(database, one).execute_at
        assert not extend(database, one, most + SECOND)
        assert extend(database, one, most - SECOND)
        assert extend(database, one, SECOND)
        assert not extend(database, one, SECOND)
        found = row(database, one)
        assert (found.execute_at, found.extended) == (before + most, most)
        assert found.cancel_by == found.execute_at - found.margin


def test_run_now_is_due_at_once_and_counts_as_seen(database: Database) -> None:
    """CONTRACT, run-now."""
    one = put(database, due=600 * SECOND)
    database.transact(lambda tx: transitions.run_now(tx, one, ANA))
    found = row(database, one)
    assert found.execute_at == found.claimable_at == found.first_viewed_at == found.cancel_by
    assert found.execute_at <= database.now() + SECOND


def test_a_hold_or_extension_renews_a_reservation_three_times(database: Database) -> None:
    """DESIGN: three times at most; it never becomes shorter."""
    stocked(database, 5)
    one = put_exchange(database, due=60 * SECOND, reserved_until=database.now() + SECOND)
    for renewal in range(1, RENEWALS + 1):
        short = database.now() + SECOND
        move = update(action).where(action.c.id == one).values(reserved_until=short)
        database.transact(lambda tx, m=move: tx.conn.execute(m))  # type: ignore[misc]
        assert extend(database, one, SECOND)
        found = row(database, one)
        assert found.renewals == renewal
        assert found.reserved_until > short + RESERVE - 60 * SECOND
    hold(database, one)
    assert (row(database, one).renewals, row(database, one).reserved_until) == (
        RENEWALS,
        found.reserved_until,
    )


def test_a_renewal_never_shortens_a_reservation(database: Database) -> None:
    """DESIGN: a reservation outlives window, margin and lease."""
    stocked(database, 5)
    far = database.now() + 10 * RESERVE
    one = put_exchange(database, due=60 * SECOND, reserved_until=far)
    hold(database, one)
    assert row(database, one).reserved_until == far


def test_what_reserves_nothing_has_no_reservation_to_expire(database: Database) -> None:
    """A held refund waits for a person: no policy may end it after the reservation time."""
    one = put(database, due=60 * SECOND)
    assert extend(database, one, SECOND)
    hold(database, one)
    assert (row(database, one).reserved_until, row(database, one).renewals) == (None, 0)


def test_only_unbegun_rows_lose_their_reservation(database: Database) -> None:
    """DESIGN: the claim freezes it; kept while unknown and on execution."""
    stocked(database, 20)
    over, later = database.now() - SECOND, database.now() + 600 * SECOND
    ids = {state: put_exchange(database, state=state, reserved_until=over) for state in State}
    put_exchange(database, reserved_until=later)
    with database.read() as tx:
        expired = {one for one, _ in stock.expired(tx, 100)}
    unbegun = (State.SCHEDULED, State.HELD, State.AWAITING_APPROVAL)
    assert expired == {ids[state] for state in unbegun}
