"""Who asks in these tests, and the shortest ways to what they ask about."""

from typing import Any

from sqlalchemy import update

from tests.store.rows import claim_all, end, row
from tests.unit.bodies import PAYLOADS, body
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.services import draft, settings
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store.agents import Agent
from webapp.store.schema import action
from webapp.store.stock import Item, put

ANA = Caller("staff:ana@example.com", "Ana", None, 1)
BEN = Caller("staff:ben@example.com", "Ben", None, 2)
BOT = Agent("bot", frozenset({"draft", "read", "cancel"}))
OTHER = Agent("other", BOT.scopes)
DONE = '{"status":"settled","provider_id":"p-1","detail":{}}'


def drafted(desk: Desk, kind: str = "refund", key: str | None = None, **changes: Any) -> Action:
    """A new action of BOT's; a keyword of the payload's goes there, any other into the body."""
    payload = dict(PAYLOADS[kind])
    payload |= {name: changes.pop(name) for name in [*changes] if name in payload}
    return draft.draft(desk, BOT, body(kind, payload=payload, **changes), key).action


def policy(desk: Desk, kind: str = "refund", **values: str) -> None:
    """Set the kind's policy row."""
    settings.change(desk, kind, values, "staff:admin@example.com")


def stocked(desk: Desk, available: int, sku: str = "mug") -> None:
    """What of `sku` may be reserved."""
    desk.db.transact(lambda tx: put(tx, [Item(sku, available)]))


def due(desk: Desk, action_id: str, ago: int = 0) -> None:
    """Its time has come, `ago` microseconds since."""
    with desk.db.read() as tx:
        values = {"execute_at": tx.now() - ago, "cancel_by": tx.now() - ago}
    move = update(action).where(action.c.id == action_id).values(**values)
    desk.db.transact(lambda tx: tx.conn.execute(move))


def claimed(desk: Desk, action_id: str) -> None:
    """A worker has it."""
    due(desk, action_id)
    assert action_id in {taken.id for taken in claim_all(desk.db)}


def finished(desk: Desk, action_id: str, state: State, effect: str | None = None) -> None:
    """A worker claimed and ended it."""
    claimed(desk, action_id)
    assert end(desk.db, action_id, state, effect=effect, error="{}") == []


def executed(desk: Desk, kind: str = "refund", **changes: Any) -> Action:
    """An action whose effect the provider took."""
    made = drafted(desk, kind, **changes)
    finished(desk, made.id, State.EXECUTED, DONE)
    return made


def state(desk: Desk, action_id: str) -> str:
    """Its state now."""
    return str(row(desk.db, action_id).state)
