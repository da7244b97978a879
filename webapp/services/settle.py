"""Settling later what is open at the provider: unknown outcomes, and effects that it only took.

Promise 6. The pauses between two questions grow; what stands under a pause is not asked about.
"""

import json
from collections.abc import Mapping
from typing import Any

from webapp.connectors.base import SUBMITTED, Connector, Effect, EffectFailed
from webapp.domain.states import State
from webapp.services.execute import Attempt, Means, as_json, look_up
from webapp.store import looks
from webapp.store.asker import Asker
from webapp.store.engine import Tx
from webapp.store.looks import Look
from webapp.store.transitions import resolve_did_not_happen, resolve_happened


def settle(means: Means, worker: str) -> list[str]:
    """Ask about what is due for it; the ids of those that are settled now. Raises Unavailable."""
    able = [kind for kind, one in means.connectors.items() if one.can_look_up]
    if not able:
        return []
    due = means.desk.db.transact(lambda tx: looks.take(tx, able))
    return [look.claim.id for look in due if _ask(means, look, worker)]


def _ask(means: Means, look: Look, worker: str) -> bool:
    known: Mapping[str, Any] = json.loads(look.effect or "{}")
    unsettled = look.state is State.EXECUTED and known.get("status") == SUBMITTED
    if not unsettled and look.state is not State.UNKNOWN:
        means.desk.db.transact(lambda tx: looks.done(tx, look.claim.id))
        return False
    connector: Connector = means.connectors[look.claim.kind]
    try:
        effect = look_up(means, Attempt(look.claim, 0.0), connector)
    except EffectFailed:
        return False
    if look.state is State.UNKNOWN:
        return means.desk.db.transact(lambda tx: _known(tx, look, effect, worker))
    if effect is None or effect.status == SUBMITTED:
        return False
    # What the provider said when it took it is kept: only how it stands is new.
    now = json.dumps({**known, "status": effect.status})
    return means.desk.db.transact(lambda tx: looks.settled(tx, look, now, worker))


def _known(tx: Tx, look: Look, effect: Effect | None, worker: str) -> bool:
    """unknown -> executed, failed, or cancelled where a cancel was recorded."""
    action_id = look.claim.id
    if effect is None:
        asker = Asker(worker, "the provider was asked, and it never happened there")
        return resolve_did_not_happen(tx, action_id, asker) is not None
    asker = Asker(worker, "the provider was asked, and it happened there")
    if resolve_happened(tx, action_id, asker, as_json(effect)) is None:
        return False
    if effect.status == SUBMITTED:
        looks.again(tx, action_id)
    return True
