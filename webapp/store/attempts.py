"""The log of attempts that ended after somebody else had taken over: kept, never applied."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, update

from webapp.store.arrow import record
from webapp.store.claims import Finish
from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of
from webapp.store.schema import action, attempt_log


@dataclass(frozen=True, slots=True)
class Late:
    """One late result; time in UTC microseconds. `provider_id` where an effect was reported."""

    action: str
    attempt: int
    worker: str
    outcome: str
    at: int
    provider_id: str | None


_KNOWN = select(attempt_log.c.id).where(
    attempt_log.c.action == bindparam("b_action"),
    attempt_log.c.attempt == bindparam("b_attempt"),
    attempt_log.c.worker == bindparam("b_worker"),
)
_OF = Hot(select(attempt_log).where(among(attempt_log.c.action)).order_by(attempt_log.c.id))
_TOUCH = (
    update(action)
    .where(action.c.id == bindparam("b_id"))
    .values(version=action.c.version + 1)
    .returning(action.c.id, action.c.kind, action.c.state, action.c.state.label("previous_state"))
)


def note(tx: Tx, late: Finish, worker: str) -> bool:
    """Keep it, with an event, on a row that this transaction has locked; False: it was kept."""
    key = {"b_action": late.id, "b_attempt": late.attempt, "b_worker": worker}
    if tx.conn.scalar(_KNOWN, key) is not None:
        return False
    values = {
        "action": late.id,
        "attempt": late.attempt,
        "worker": worker,
        "outcome": late.state.value,
        "at": tx.now(),
        "effect": late.effect,
        "error": late.error,
    }
    tx.conn.execute(insert(attempt_log).values(values))
    row = tx.conn.execute(_TOUCH, {"b_id": late.id}).one()
    data = json.dumps({"attempt": late.attempt, "outcome": late.state.value})
    record(tx, row, "late_result", worker, data)
    return True


def of(tx: Tx, ids: Sequence[str]) -> dict[str, list[Late]]:
    """The late results of these actions, oldest first."""
    found: dict[str, list[Late]] = defaultdict(list)
    for row in _OF.all(tx, ids_of(tx, ids)) if ids else ():
        effect = json.loads(row.effect or "{}")
        provider_id = effect.get("provider_id")
        found[row.action].append(
            Late(row.action, row.attempt, row.worker, row.outcome, row.at, provider_id)
        )
    return dict(found)
