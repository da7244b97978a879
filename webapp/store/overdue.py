"""Holding what the claim leaves to people: overdue for longer than its kind allows, or unseen.

The claim refuses such a row by itself (`batches.CLAIM`); this is what brings it before people. It
needs no index of its own, which every draft would pay for: such rows are the first of those that
are due, and a worker holds them before its first claim, so that no claim looks past many of them
(20,000 rows: 1.5 s to hold, 20 ms to look past).
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    String,
    Update,
    any_,
    case,
    cast,
    func,
    literal,
    literal_column,
    select,
    update,
)

from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.arrow import log_moved, record_many
from webapp.store.batches import LEFT_TO_PEOPLE
from webapp.store.engine import NOW, Tx
from webapp.store.hold import HELD
from webapp.store.hot import Hot
from webapp.store.schema import action

AT_ONCE = 500
"""Rows held in one transaction: nobody waits long for its locks."""

UNSEEN = "nobody has seen it: it was on no screen before its time came"
"""Why it is held, where its kind asks for eyes."""
_POLICY = "policy"
_MOVED = (
    action.c.id,
    action.c.kind,
    action.c.state,
    action.c.previous_state,
    action.c.state_reason,
)


def _waited() -> Any:
    """`2 h 5 min`: since it could have been claimed."""
    seconds = (NOW - action.c.claimable_at) // literal(SECOND, BigInteger())

    def said(number: Any, unit: str) -> Any:
        return cast(number, String()).concat(unit)

    return case(
        (
            seconds >= 3_600,
            said(seconds // 3_600, " h ").concat(said(seconds % 3_600 // 60, " min")),
        ),
        (seconds >= 60, said(seconds // 60, " min ").concat(said(seconds % 60, " s"))),
        else_=said(seconds, " s"),
    )


def _hold() -> Update:
    return (
        update(action)
        # A plain comparison would tempt the planner to an index of states: `batches.Take`.
        .where(func.coalesce(action.c.state, "") == State.SCHEDULED.value)
        .values(
            **HELD | {"state": State.HELD.value},
            previous_state=action.c.state,
            version=action.c.version + 1,
            state_by=_POLICY,
            state_reason=case(
                (action.c.unseen, literal(UNSEEN, String())),
                else_=literal("was due for ", String())
                .concat(_waited())
                .concat(" without being run"),
            ),
        )
        .returning(*_MOVED)
    )


_found = (
    select(action.c.id)
    .where(LEFT_TO_PEOPLE)
    .order_by(action.c.execute_at, action.c.id)
    .limit(literal_column(str(AT_ONCE)))
)
# Differs because SQLite has to be told its index: `batches.Take`.
SQLITE = _hold().where(
    action.c.id.in_(_found.with_hint(action, "INDEXED BY ix_action_claimable", "sqlite"))
)


def _postgresql() -> Any:
    # As the claim does it, and for the same reasons: `batches.Take`.
    old = _found.with_for_update(skip_locked=True, of=action).cte("old")
    keys = func.array(select(old.prefix_with("MATERIALIZED").c.id).scalar_subquery())
    moved = _hold().where(action.c.id == any_(keys)).cte("moved")
    data = literal('{"reason": "', String()).concat(moved.c.state_reason).concat('"}')
    verb, key = literal("held", String()), cast(None, String())
    return select(moved.c.id).add_cte(log_moved(moved.c, verb, data, key))


POSTGRESQL = _postgresql()
_SQLITE, _POSTGRESQL = Hot(SQLITE), Hot(POSTGRESQL)


def hold(tx: Tx, reserve: int) -> int:
    """scheduled -> held, by policy, for up to AT_ONCE rows; how many.

    `reserve` renews a reservation, as any hold does (microseconds).
    """
    params = tx.params({"p_reserve": reserve})
    if tx.dialect == "postgresql":
        # Differs because PostgreSQL moves and logs in one statement, past locked rows.
        return len(_POSTGRESQL.all(tx, params | {"p_actor": _POLICY}))
    rows = _SQLITE.all(tx, params)
    if rows:
        moves = ((row, "held", f'{{"reason": "{row.state_reason}"}}') for row in rows)
        record_many(tx, moves, _POLICY)
    return len(rows)
