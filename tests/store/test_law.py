"""The database repeats the law: what no function would write, raw SQL cannot write either."""

from itertools import product
from typing import Any

import pytest
from sqlalchemy import delete, insert, text, update
from sqlalchemy.exc import DBAPIError

from tests.store.rows import fitting, put, row, verbs
from webapp.domain.states import ARROWS, FIRST, State
from webapp.domain.times import SECOND
from webapp.store.engine import Database, Tx
from webapp.store.schema import action, event, stock


class Undo(Exception):
    """Roll the transaction back."""


def accepts(db: Database, statement: Any, values: dict[str, Any] | None = None) -> bool:
    """Whether the database takes it; nothing is kept."""

    def work(tx: Tx) -> None:
        tx.conn.execute(statement, values or {})
        raise Undo

    try:
        db.transact(work)
    except Undo:
        return True
    except DBAPIError:
        return False
    raise AssertionError("unreachable")


def test_the_database_refuses_every_arrow_outside_the_table(database: Database) -> None:
    """DESIGN: a trigger that refuses an arrow not in the table; all 81 pairs."""
    ids = {state: put(database, state) for state in State}
    now = database.now()
    for source, target in product(State, State):
        move = update(action).where(action.c.id == ids[source]).values(**fitting(target, now))
        allowed = source is target or (source, target) in ARROWS
        assert accepts(database, move) is allowed, f"{source} -> {target}"


def test_a_row_begins_only_where_a_draft_may(database: Database) -> None:
    """DESIGN: (draft) -> scheduled, awaiting_approval or held; never executing."""
    model = row(database, put(database))._asdict()
    now = database.now()
    for state in State:
        values = model | fitting(state, now) | {"id": f"new-{state}", "draft_key": None}
        assert accepts(database, insert(action), values) is (state in FIRST), state


@pytest.mark.parametrize(
    ("state", "change"),
    [
        (State.SCHEDULED, {"state": "done"}),
        (State.SCHEDULED, {"execute_at": None}),
        (State.SCHEDULED, {"finished_at": 1}),
        (State.EXECUTED, {"finished_at": None}),
        (State.EXECUTING, {"lease_until": None}),
        (State.EXECUTING, {"worker": None}),
        (State.CANCELLED, {"cancelled_by": None}),
        (State.CANCELLED, {"cancelled_at": None}),
        (State.SCHEDULED, {"cancelled_at": 1, "cancelled_by": "x"}),
        (State.SCHEDULED, {"version": 0}),
        (State.SCHEDULED, {"attempt": -1}),
        (State.SCHEDULED, {"blockers": -1}),
        (State.SCHEDULED, {"amount_value": 0}),
        (State.SCHEDULED, {"amount_value": None}),
        (State.SCHEDULED, {"amount_currency": None}),
        (State.SCHEDULED, {"compensates": "nobody"}),
        (State.SCHEDULED, {"payload": "{}"}),
        (State.SCHEDULED, {"payload_hash": "0" * 64}),
        (State.EXECUTED, {"payload": "{}"}),
    ],
)
def test_the_database_refuses_a_row_that_cannot_be(
    database: Database, state: State, change: dict[str, Any]
) -> None:
    """DESIGN: CHECK on values, terminal means a finish time, payloads don't change (promise 3)."""
    one = put(database, state)
    move = update(action).where(action.c.id == one)
    assert not accepts(database, move.values(**change))
    assert accepts(database, move.values(summary="else")), "it is the change that is refused"


def test_events_can_be_neither_changed_nor_removed(database: Database) -> None:
    """DESIGN: append-only events; promise 15."""
    one = put(database)
    assert not accepts(database, update(event).values(actor="nobody"))
    assert not accepts(database, update(event).values(id=event.c.id))
    assert not accepts(database, delete(event))
    assert not accepts(database, delete(event).where(event.c.action == one))
    if database.dialect == "postgresql":
        assert not accepts(database, text("TRUNCATE event"))
    assert verbs(database, one) == ["drafted"]


def test_stock_is_never_below_zero(database: Database) -> None:
    """Promise 8: never oversold, whatever is written."""
    assert not accepts(database, insert(stock).values(sku="mug", available=-1))
    assert accepts(database, insert(stock).values(sku="mug", available=0))


def test_an_action_has_one_row_per_key_and_one_live_way_back(database: Database) -> None:
    """Promise 9; CONTRACT, compensation: at most one live per action and name."""
    original = put(database, State.EXECUTED, draft_key="k")
    first = put(database, kind="refund.reversal", compensates=original)
    model = row(database, first)._asdict()
    second = model | {"id": "second"}
    assert not accepts(database, insert(action), second)
    assert accepts(database, insert(action), second | {"kind": "other"})
    now = database.now()
    gone = update(action).where(action.c.id == first).values(**fitting(State.CANCELLED, now))
    database.transact(lambda tx: tx.conn.execute(gone))
    assert accepts(database, insert(action), second)
    assert not accepts(database, insert(action), second | {"agent": "bot", "draft_key": "k"})
    assert accepts(database, insert(action), second | {"agent": "other", "draft_key": "k"})


def test_a_cancelled_row_keeps_its_finish(database: Database) -> None:
    """CASES riverqueue/river#1302: nothing overwrites a finished job."""
    one = put(database, State.CANCELLED)
    for state in State:
        move = update(action).where(action.c.id == one)
        values = fitting(state, database.now() + SECOND)
        assert accepts(database, move.values(**values)) is (state is State.CANCELLED)


def test_only_what_has_ended_is_emptied_once_and_for_good(database: Database) -> None:
    """The retention's one way: all of the payload, with the time at which it went."""
    gone = {"payload": "{}", "pruned_at": 1}
    ended, waits = put(database, State.EXECUTED), put(database, State.HELD)
    move = update(action).where(action.c.id == ended)
    assert not accepts(database, update(action).where(action.c.id == waits).values(**gone))
    for short in ({"payload": '{"less":1}'}, {"payload": "{}"}, {"pruned_at": 1}):
        assert not accepts(database, move.values(**short | {"summary": ""}))
    assert not accepts(database, move.values(**gone | {"payload_hash": "0" * 64}))
    database.transact(lambda tx: tx.conn.execute(move.values(**gone)))
    for back in ({"pruned_at": None}, {"pruned_at": 2}, {"payload": '{"back":1}'}):
        assert not accepts(database, move.values(**back))
