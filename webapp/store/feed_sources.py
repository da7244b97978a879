"""The four sources of the feed, each with its index and its order.

What waits for people, what ended badly, what runs by the clock, what ended: no row is in two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    not_,
    or_,
    select,
    text,
    tuple_,
)

from webapp.domain.states import RAN_OUT, TERMINAL, State
from webapp.store.columns import quoted
from webapp.store.schema import action

Key = tuple[Any, str]
"""Where a row stands in its source: the value that the order goes by, and its id."""


def _followed(later: Any, by: Any) -> Any:
    """Whether one that names the action in `by` has not ended without an effect.

    Not null is said although it follows: PostgreSQL may read all of them first, into a hash, and
    that has to be by the index of the few there are.
    """
    names_it = (by == action.c.id, by.is_not(None))
    return select(later.c.id).where(*names_it, later.c.state.not_in(RAN_OUT)).exists()


_repair, _again = action.alias("repair"), action.alias("again")
_REPAIRED = _followed(_repair, _repair.c.compensates)
REPEATED = _followed(_again, _again.c.again_of)
# Texts, not parameters: each must match its partial index's predicate, or the feed reads the
# whole table.
ASKS = text("action.state IN ('awaiting_approval','held','unknown')")
ENDED_BADLY = text("(action.state = 'failed' OR action.late_cancel_at IS NOT NULL)")
_OPEN = text(f"action.state NOT IN ({quoted(TERMINAL)})")
_BADLY = or_(
    and_(action.c.state == State.FAILED.value, ~REPEATED),
    and_(action.c.state == State.EXECUTED.value, action.c.late_cancel_at.is_not(None), ~_REPAIRED),
)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Some rows in an order: `by`, then the id; `rises` says of each whether it is upwards.

    `states` are those that it can have.
    """

    name: str
    by: ColumnElement[Any]
    index: str
    rows: tuple[Any, ...]
    rises: tuple[bool, bool]
    states: frozenset[State]

    def of(self, wanted: Sequence[ColumnElement[bool]] = (), *, free: bool = False) -> Select[Any]:
        """`id` and `by` of those that match. `free`: SQLite may take another index."""
        ordered = zip((self.by, action.c.id), self.rises, strict=True)
        order = (column.asc() if up else column.desc() for column, up in ordered)
        found = select(action.c.id, self.by.label("by")).where(*self.rows, *wanted).order_by(*order)
        # Without statistics SQLite may take the index of all that has finished, or of all that
        # an agent ever drafted.
        return found if free else found.with_hint(action, f"INDEXED BY {self.index}", "sqlite")

    def behind(self, key: Key) -> ColumnElement[bool]:
        """What stands behind a row in this order."""
        first, last = self.rises
        if first == last:
            here, there = tuple_(self.by, action.c.id), tuple_(*key)
            return here > there if first else here < there
        ahead = self.by > key[0] if first else self.by < key[0]
        beyond = action.c.id > key[1] if last else action.c.id < key[1]
        return or_(ahead, and_(self.by == key[0], beyond))


SINCE = bindparam("b_since", type_=BigInteger())
"""From when on what ended badly is on the feed, microseconds; `b_lately`: what ended at all."""
ASKING = Source(
    "asking",
    action.c.state,
    "ix_action_asking",
    (ASKS,),
    (False, True),
    frozenset({State.AWAITING_APPROVAL, State.HELD, State.UNKNOWN}),
)
UNSETTLED = Source(
    "unsettled",
    action.c.finished_at,
    "ix_action_unsettled",
    (ENDED_BADLY, action.c.finished_at > SINCE, _BADLY),
    (False, False),
    frozenset({State.FAILED, State.EXECUTED}),
)
CLOCK = Source(
    "clock",
    action.c.execute_at,
    "ix_action_open",
    (
        _OPEN,
        action.c.execute_at.is_not(None),
        action.c.state.in_((State.SCHEDULED.value, State.EXECUTING.value)),
    ),
    (True, True),
    frozenset({State.SCHEDULED, State.EXECUTING}),
)
ENDED = Source(
    "ended",
    action.c.finished_at,
    "ix_action_finished_at",
    (action.c.finished_at > bindparam("b_lately", type_=BigInteger()), not_(_BADLY)),
    (False, False),
    TERMINAL,
)
SOURCES = (ASKING, UNSETTLED, CLOCK, ENDED)
