"""Shortest ways to joined drafts, and what came of them."""

import json
from typing import Any

from sqlalchemy import select

from tests.services.people import BOT
from tests.store.rows import row
from tests.unit.bodies import PAYLOADS, body
from webapp.domain.drafts import fingerprint
from webapp.services import draft as drafts
from webapp.services.desk import Desk
from webapp.services.draft import DraftResult
from webapp.store.agents import Agent
from webapp.store.engine import Database
from webapp.store.schema import action


def say(
    desk: Desk,
    text: Any,
    kind: str = "reply",
    *,
    key: str | None = None,
    agent: Agent = BOT,
    customer: str = "c-1",
    merge_key: str | None = "m",
    **changes: Any,
) -> DraftResult:
    """Draft a reply or webhook with this body; a keyword of the payload's goes there."""
    payload = PAYLOADS[kind] | {"body": text}
    payload |= {name: changes.pop(name) for name in [*changes] if name in payload}
    asked = body(kind, payload=payload, customer={"ref": customer}, merge_key=merge_key, **changes)
    return drafts.draft(desk, agent, asked, key)


def sends(db: Database, action_id: str) -> Any:
    """The body that the row would send, after its hash was checked."""
    found = row(db, action_id)
    assert fingerprint(found.payload) == found.payload_hash
    return json.loads(found.payload)["body"]


def every(db: Database) -> list[Any]:
    """All rows, oldest first."""
    with db.read() as tx:
        return list(tx.conn.execute(select(action).order_by(action.c.id)))
