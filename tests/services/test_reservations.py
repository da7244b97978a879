"""What a reservation does while its action waits, runs and is taken back. Promise 8."""

from typing import Any

import pytest
from sqlalchemy import update

from tests.services.people import (
    ANA,
    BOT,
    DONE,
    claimed,
    drafted,
    executed,
    finished,
    policy,
    stocked,
)
from tests.store.rows import available, end, row, states, verbs
from tests.unit.bodies import AMOUNT, PAYLOADS, body
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import clock
from webapp.services.compensate import compensate
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.services.recover import expire_reservations
from webapp.store import stock
from webapp.store.engine import Tx
from webapp.store.schema import action


def over(desk: Desk, *ids: str) -> None:
    """Their reservations ended a moment ago."""
    with desk.db.read() as tx:
        past = update(action).where(action.c.id.in_(ids)).values(reserved_until=tx.now() - SECOND)
    desk.db.transact(lambda tx: tx.conn.execute(past))


def waiting(desk: Desk, state: State, **changes: Any) -> Action:
    """An exchange of one mug that nothing has begun."""
    policy(desk, "exchange", mode="approval" if state is State.AWAITING_APPROVAL else "window")
    made = drafted(desk, "exchange", **changes)
    return clock.hold(desk, made.id, ANA) if state is State.HELD else made


@pytest.mark.parametrize("state", [State.SCHEDULED, State.HELD, State.AWAITING_APPROVAL])
def test_its_end_cancels_the_action_and_all_that_depends_on_it(desk: Desk, state: State) -> None:
    """DESIGN: in one transaction; each of them gives its own stock back, once."""
    stocked(desk, 10)
    top = waiting(desk, state, quantity=2)
    middle = waiting(desk, State.SCHEDULED, quantity=3, depends_on=[top.id])
    low = drafted(desk, "reply", depends_on=[middle.id])
    other = waiting(desk, State.SCHEDULED)
    assert available(desk.db) == 4
    over(desk, top.id)
    assert expire_reservations(desk) == [top.id]
    ended = ["cancelled", "cancelled", "cancelled", "scheduled"]
    assert states(desk.db, top.id, middle.id, low.id, other.id) == ended
    assert available(desk.db) == 9
    assert row(desk.db, top.id).cancel_reason == "the reservation has expired"
    assert verbs(desk.db, low.id)[-1] == "cancelled_with_parent"
    assert expire_reservations(desk) == []
    assert available(desk.db) == 9


def test_what_renews_it_at_that_moment_wins(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN: a hold renews it; who had read that it was over cancels nothing."""
    stocked(desk, 1)
    made = waiting(desk, State.SCHEDULED)
    over(desk, made.id)
    expired = stock.expired

    def held_meanwhile(tx: Tx, limit: int) -> list[tuple[str, int]]:
        found = expired(tx, limit)
        clock.hold(desk, made.id, ANA)
        return found

    monkeypatch.setattr(stock, "expired", held_meanwhile)
    assert expire_reservations(desk) == []
    assert states(desk.db, made.id) == ["held"]
    monkeypatch.undo()
    assert expire_reservations(desk) == [], "it lasts as long as a new one now"
    assert available(desk.db) == 0


@pytest.mark.parametrize(
    ("ends", "left"), [(State.EXECUTED, 0), (State.UNKNOWN, 0), (State.FAILED, 1)]
)
def test_the_claim_freezes_it(desk: Desk, ends: State, left: int) -> None:
    """DESIGN: kept on execution and while unknown, however long it was over by then."""
    stocked(desk, 1)
    made = waiting(desk, State.SCHEDULED)
    over(desk, made.id)
    claimed(desk, made.id)
    assert expire_reservations(desk) == []
    assert states(desk.db, made.id) == ["executing"]
    end(desk.db, made.id, ends, effect=DONE, error="{}")
    assert expire_reservations(desk) == []
    assert (states(desk.db, made.id), available(desk.db)) == ([ends.value], left)


def test_a_hold_renews_it_three_times_and_no_more(desk: Desk) -> None:
    """DESIGN; through the service, with the policy's time."""
    stocked(desk, 1)
    made = waiting(desk, State.SCHEDULED)
    lasts = []
    for _ in range(5):
        over(desk, made.id)
        clock.hold(desk, made.id, ANA)
        lasts.append((row(desk.db, made.id).reserved_until or 0) > desk.now() + 1_700 * SECOND)
        # A release gives time to execute, and no more than that: it is no renewal.
        over(desk, made.id)
        clock.release(desk, made.id, ANA)
    assert lasts == [True, True, True, False, False]
    assert row(desk.db, made.id).renewals == 3


def test_a_restock_returns_the_charge_too(desk: Desk) -> None:
    """CONTRACT, exchange: `restock`: stock back, a charge returned."""
    stocked(desk, 5)
    payload = PAYLOADS["exchange"] | {"quantity": 2, "charge": AMOUNT}
    original = draft(desk, BOT, body("exchange", payload=payload), None).action
    finished(desk, original.id, State.EXECUTED, DONE)
    made = compensate(desk, original.id, ANA, name="restock").action
    assert made.payload["charge"] == AMOUNT
    assert (made.amount_value, made.amount_currency) == (AMOUNT["value"], AMOUNT["currency"])
    assert available(desk.db) == 3
    finished(desk, made.id, State.EXECUTED, DONE)
    assert available(desk.db) == 5


def test_without_a_charge_none_is_returned(desk: Desk) -> None:
    """Nothing is paid that nobody had paid."""
    stocked(desk, 1)
    original = executed(desk, "exchange")
    made = compensate(desk, original.id, ANA, name="restock").action
    assert "charge" not in made.payload
    assert made.amount_value is None
