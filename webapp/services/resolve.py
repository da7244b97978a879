"""Settling what nobody could know: a person says whether it happened."""

import json

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, NotUnknown
from webapp.domain.states import State
from webapp.services.asking import Verb, ask
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import check_note
from webapp.store import transitions
from webapp.store.asker import Asker
from webapp.store.engine import AnyRow, Tx

OUTCOMES = ("happened", "did_not_happen")
_RESOLVE = Verb("resolved", State.UNKNOWN, NotUnknown)


def resolve(
    desk: Desk, action_id: str, caller: Caller, *, outcome: str, note: str, seen: int | None = None
) -> Action:
    """unknown -> executed, failed, or cancelled where a cancel was recorded.

    Raises Invalid, NotFound, Changed, NotUnknown, Unavailable.
    """
    if outcome not in OUTCOMES:
        raise Invalid.field("/outcome", f"must be one of {', '.join(OUTCOMES)}")
    if not note.strip():
        raise Invalid.field("/note", "is required: say how you know")
    check_note(note, "/note")
    effect = json.dumps({"status": "settled", "provider_id": None, "detail": {"note": note}})

    def move(tx: Tx, asker: Asker, _: Action) -> AnyRow | None:
        if outcome == "happened":
            return transitions.resolve_happened(tx, action_id, asker, effect)
        return transitions.resolve_did_not_happen(tx, action_id, asker)

    return ask(desk, action_id, caller, _RESOLVE, move, reason=note, seen=seen)
