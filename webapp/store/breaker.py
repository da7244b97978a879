"""The breaker: what an agent has scheduled of a kind is held, because it drafts too much of it."""

from sqlalchemy import String, bindparam, select

from webapp.domain.states import State
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.schema import OPEN, action

SCHEDULED = (
    select(action.c.id)
    # Differs because SQLite would look through all that the agent ever drafted.
    .with_hint(action, "INDEXED BY ix_action_open", "sqlite")
    .where(
        OPEN,
        action.c.state == word(State.SCHEDULED),
        action.c.agent == bindparam("b_agent", type_=String()),
        action.c.kind == bindparam("b_kind", type_=String()),
    )
    .order_by(action.c.id)
    .with_for_update()
)


def hold(tx: Tx, agent: str, kind: str, reason: str, reserve: int) -> list[str]:
    """scheduled -> held, by policy, for every one that no worker took first; their ids.

    `reserve` renews reservations, as any hold does (microseconds).
    """
    ids = tx.conn.scalars(SCHEDULED, {"b_agent": agent, "b_kind": kind}).all()
    asker = Asker("policy", reason)
    return [one for one in ids if transitions.hold(tx, one, asker, reserve) is not None]
