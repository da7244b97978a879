"""What a customer's objection writes where it holds nothing: the row and its event say it."""

import json

from sqlalchemy import Text, bindparam

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.store.arrow import Arrow, Unmoved, owned, record
from webapp.store.asker import Asker
from webapp.store.cancelling import CANCELLED_LATE
from webapp.store.engine import AnyRow, Tx

_VERB = "objected"
_NOTED = Arrow(
    _VERB,
    owned(State.HELD, State.AWAITING_APPROVAL, state_reason=bindparam("p_said", type_=Text())),
)
_LATE = Arrow(_VERB, CANCELLED_LATE)


def note(tx: Tx, found: Action, asker: Asker) -> AnyRow | None:
    """held, awaiting_approval -> the same, the asker's reason ahead of the one on the row.

    The version rises: who had it on screen without that looks again before deciding.
    """
    said = "; before that: ".join(filter(None, (asker.reason, found.state_reason)))
    return _NOTED.run(tx, asker.values(found.id, said=said), asker.actor)


def record_late(tx: Tx, found: Action, asker: Asker, key: str) -> None:
    """executing, executed, unknown -> the same, kept as a cancel that lost is kept.

    Should the attempt under way certainly have no effect, it ends as cancelled and is not tried
    again. A row that names such a cancel already keeps it; the event, with `key`, is written in
    either case.
    """
    data = json.dumps({"state": found.state})
    if _LATE.run(tx, asker.values(found.id), asker.actor, data, key) is None:
        record(tx, Unmoved(found), _VERB, asker.actor, data, key)
