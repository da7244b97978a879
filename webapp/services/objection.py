"""The customer says that it isn't right: held while that helps, and told to people in any case."""

from webapp.domain.action import Action
from webapp.domain.drafts import fingerprint
from webapp.domain.states import TOO_LATE, State
from webapp.services.caller import Caller
from webapp.services.clock import reservation
from webapp.services.desk import Desk
from webapp.services.explain import require
from webapp.store import actions, events, objections, transitions
from webapp.store.engine import Tx

CUSTOMER = Caller("customer", "the customer")
WORDS = "The customer says this isn't right"
"""What stands on the row."""
_WAITS = (State.HELD, State.AWAITING_APPROVAL)


def object_to(desk: Desk, action_id: str) -> None:
    """scheduled -> held. What waits for people anyhow gets the words, and a new version.

    What is executing, of unknown outcome or executed keeps it like a cancel that came too late:
    the row says so, and an attempt that had no effect is not tried again. What ended without an
    effect is left as it is. Once is enough: a repeat changes nothing. Raises NotFound, Unavailable.
    """
    asker = CUSTOMER.asker(WORDS)

    def work(tx: Tx) -> None:
        # So that the state that is read is the one that is written, and no arrow below can lose:
        # a hold that came to nothing would leave the customer's page without an answer.
        actions.lock(tx, action_id)
        found = require(tx, action_id, CUSTOMER)
        if objected(tx, found):
            return
        if found.state is State.SCHEDULED:
            transitions.hold(tx, action_id, asker, reservation(desk, tx, found))
        elif found.state in _WAITS:
            objections.note(tx, found, asker)
        elif found.state in TOO_LATE:
            objections.record_late(tx, found, asker, _key(found))

    desk.db.transact(work)


def objected(tx: Tx, found: Action) -> bool:
    """Whether the customer has said so of the state that it is in now."""
    if found.state in _WAITS:
        return (found.state_reason or "").startswith(WORDS)
    if found.state in TOO_LATE:
        return events.with_key(tx, found.id, _key(found)) is not None
    return False


def _key(found: Action) -> str:
    return fingerprint(f"{CUSTOMER.actor}\nobjection\n{found.id}")
