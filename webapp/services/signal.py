"""The world changed: what that touches is held for a person, whoever drafted it."""

import uuid
from dataclasses import asdict, dataclass

from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.errors import FieldError, Invalid, KeyReused
from webapp.domain.signals import SignalType, in_words
from webapp.domain.states import TOO_LATE, State
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store import holding, signals
from webapp.store.engine import Tx
from webapp.store.holding import Cause

LATELY = 24 * 3_600 * SECOND
"""What was executed longer ago than this is not named as too late: it is history."""


@dataclass(frozen=True, slots=True)
class Signalled:
    """Ids of what this signal held, and of what had begun, or was done, before it came."""

    held: list[str]
    too_late: list[str]


def signal(
    desk: Desk,
    caller: Caller,
    what: SignalType,
    *,
    customer: str | None = None,
    order: str | None = None,
    note: str | None = None,
    key: str | None = None,
) -> Signalled:
    """scheduled -> held for every action for `customer` or about `order`, of any agent.

    What waits for approval gets the reason on its row and a new version; what is held already,
    or too late, gets it in its timeline. With the same `key` again the answer is the first one.
    Raises Invalid, KeyReused, Unavailable.
    """
    if customer is None and order is None:
        words = "customer or order is needed, or both"
        raise Invalid(words, (FieldError("/customer", words), FieldError("/order", words)))
    own_key = fingerprint(f"{caller.actor}\n{key or uuid.uuid4()}")
    said = fingerprint(canonical([what, customer, order, note]))

    def work(tx: Tx) -> Signalled:
        row = {"type": what, "customer_ref": customer, "order_ref": order, "note": note}
        sent = {"request_key": own_key, "said_hash": said, "sent_by": caller.actor}
        if not signals.begin(tx, **row, **sent):
            return _repeated(tx, own_key, said)
        reserve = desk.read_table(tx).longest_reservation
        cause = Cause(caller.actor, in_words(what, note), reserve, {"signal": what})
        done = _hold(tx, customer, order, cause)
        signals.answer(tx, own_key, asdict(done))
        return done

    return desk.db.transact(work)


def _hold(tx: Tx, customer: str | None, order: str | None, cause: Cause) -> Signalled:
    # First, so that what is approved at this moment is seen here or scheduled below.
    signals.mark(tx, customer, order, cause)
    held: set[str] = set()
    while True:
        held.update(holding.hold_touched(tx, customer, order, cause))
        rows = signals.found(tx, customer, order, LATELY)
        # One that was executing a moment ago may have been put back to be tried again.
        if not any(row.state == State.SCHEDULED for row in rows):
            break
    others = [row for row in rows if row.id not in held]
    signals.record(tx, others, cause)
    return Signalled(sorted(held), [row.id for row in others if row.state in TOO_LATE])


def _repeated(tx: Tx, key: str, said: str) -> Signalled:
    told = signals.told(tx, key)
    if told.said_hash != said:
        raise KeyReused("This Idempotency-Key was used with another signal; use a new one.")
    return Signalled(**told.answer)
