"""Asking the provider later: which actions are due for it, and what its answer changes.

Those of unknown outcome, and those that it took and has not settled.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, String, Text, bindparam, case, literal, select, update

from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.arrow import record
from webapp.store.batches import CLAIMED, NOT_PAUSED
from webapp.store.claims import Claim
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.schema import action

AT_ONCE = 8
"""Asked in one round, one after the other."""
PAUSE_AT_LEAST, PAUSE_AT_MOST = 10 * SECOND, 3_600 * SECOND
"""Between two questions: half of the time since the claim, within these."""


class Look(NamedTuple):
    """One action to ask about. `effect` is JSON as stored."""

    claim: Claim
    state: State
    effect: str | None


_half = (NOW - action.c.claimed_at) // literal(2, BigInteger())
_pause = case(
    (_half < PAUSE_AT_LEAST, PAUSE_AT_LEAST),
    (_half > PAUSE_AT_MOST, PAUSE_AT_MOST),
    else_=_half,
)
_due = (
    select(action.c.id)
    .where(
        action.c.look_at <= NOW,
        action.c.kind.in_(bindparam("kinds", expanding=True)),
        NOT_PAUSED,
    )
    .order_by(action.c.look_at)
    .limit(AT_ONCE)
    .with_for_update(skip_locked=True, of=action)
)
_TAKE = (
    update(action)
    .where(action.c.id.in_(bindparam("ids", expanding=True)), action.c.look_at <= NOW)
    .values(look_at=NOW + _pause)
    .returning(
        *CLAIMED,
        action.c.late_cancel_at,
        action.c.state,
        action.c.effect,
    )
)
_DONE = update(action).where(action.c.id == bindparam("b_id")).values(look_at=None)
_AGAIN = update(action).where(action.c.id == bindparam("b_id")).values(look_at=NOW)
_SETTLED = (
    update(action)
    .where(
        action.c.id == bindparam("b_id", type_=String()),
        action.c.state == State.EXECUTED,
        action.c.effect == bindparam("b_known", type_=Text()),
    )
    .values(effect=bindparam("b_effect", type_=Text()), version=action.c.version + 1, look_at=None)
    .returning(action.c.id, action.c.kind, action.c.state, action.c.state.label("previous_state"))
)


def take(tx: Tx, kinds: Sequence[str]) -> list[Look]:
    """What to ask about now, of `kinds`; each is put off first, so that one worker asks."""
    ids = tx.conn.scalars(_due, tx.params({"kinds": list(kinds)})).all()
    if not ids:
        return []
    return [
        Look(_claim(row), State(row.state), row.effect)
        for row in tx.conn.execute(_TAKE, tx.params({"ids": ids}))
    ]


def _claim(row: AnyRow) -> Claim:
    return Claim._make((*row[:7], row.late_cancel_at is not None, True))


def done(tx: Tx, action_id: str) -> None:
    """There is nothing to ask any more."""
    tx.conn.execute(_DONE, {"b_id": action_id})


def again(tx: Tx, action_id: str) -> None:
    """Soon again: it turned out to have happened, and is not settled."""
    tx.conn.execute(_AGAIN, tx.params({"b_id": action_id}))


def settled(tx: Tx, look: Look, effect: str, actor: str) -> bool:
    """The effect of an executed action as the provider tells it now; False: it changed since."""
    params = {"b_id": look.claim.id, "b_known": look.effect, "b_effect": effect}
    row = tx.conn.execute(_SETTLED, params).first()
    if row is not None:
        record(tx, row, "settled", actor)
    return row is not None
