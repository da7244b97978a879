"""Actions that fall due in a moment, drafted by the store's own arrow."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from webapp.domain import ids
from webapp.domain.drafts import canonical, fingerprint
from webapp.services.desk import Desk
from webapp.store.drafting import Drafted, NewAction, draft
from webapp.store.engine import Tx

_AT_A_TIME = 1_000


def spaced(start: int, number: int, every: int) -> list[int]:
    """`number` times from `start`, `every` microseconds apart, each at random within its share."""
    chance = random.Random(3)
    return [start + place * every + chance.randrange(every) for place in range(number)]


def plant(desk: Desk, due: Sequence[int], payload: Callable[[int], Any], kind: str) -> list[str]:
    """One action of `kind` for each time in `due` (UTC microseconds); answers their ids."""
    revision = desk.table().revision
    made = [_action(at, payload(number), kind, revision) for number, at in enumerate(due)]
    for first in range(0, len(made), _AT_A_TIME):

        def work(tx: Tx, part: Sequence[NewAction] = made[first : first + _AT_A_TIME]) -> None:
            for new in part:
                if draft(tx, new) is not Drafted.NEW:
                    raise RuntimeError("an action of the bench was there before")

        desk.db.transact(work)
    return [str(new.values["id"]) for new in made]


def refund(number: int) -> dict[str, Any]:
    """A refund's payload."""
    amount = {"value": 1250, "currency": "INR"}
    return {"payment": f"pi_{number}", "amount": amount, "reason": "torn"}


def _action(due: int, payload: Any, kind: str, revision: int) -> NewAction:
    text = canonical(payload)
    values = {
        "id": ids.new_id(due),
        "kind": kind,
        "state": "scheduled",
        "summary": "Torn cover, photo attached",
        "reason": "the policy allows it",
        "payload": text,
        "payload_hash": fingerprint(text),
        "customer": '{"ref":"c"}',
        "customer_ref": "c",
        "agent": "bench",
        "drafted_by": "agent:bench",
        "drafted_at": due,
        "window": 0,
        "margin": 0,
        "cancel_by": due,
        "execute_at": due,
        "claimable_at": due,
        "decision": '{"because":[],"mode":"window"}',
        "overdue_after": 3_600_000_000,
        "state_by": "policy",
    }
    return NewAction(values, revision)
