"""What the sweep does: actions whose worker was lost, and reservations that nobody used."""

from webapp.connectors.base import Connector, EffectFailed
from webapp.services.desk import Desk
from webapp.services.execute import (
    Attempt,
    Means,
    attempts_allowed,
    execute,
    happened,
    in_doubt,
    look_up,
    no_effect,
    unknown,
)
from webapp.store import stock
from webapp.store.asker import Asker
from webapp.store.claims import Finish
from webapp.store.engine import Tx
from webapp.store.transitions import cancel

AT_ONCE = 100
"""Reservations ended in one sweep."""


def recover(means: Means, attempt: Attempt) -> Finish:
    """Settle an action taken over from a worker that was lost. Never raises.

    The same key again where the provider dedupes and nobody wants it cancelled; else the
    provider is asked; else a person is.
    """
    claim = attempt.claim
    connector = means.connectors.get(claim.kind)
    if connector is None or _may_send(means, attempt, connector):
        return execute(means, attempt)
    lost = EffectFailed(
        "the worker that ran this was lost, and nobody can say how far it came",
        permanent=False,
        may_have_happened=True,
    )
    if not connector.can_look_up:
        return unknown(claim, lost)
    try:
        effect = look_up(means, attempt, connector)
    except EffectFailed as silence:
        return in_doubt(means, attempt, connector, silence)
    return no_effect(means, attempt, lost) if effect is None else happened(claim, effect)


def expire_reservations(desk: Desk) -> list[str]:
    """Cancel what nothing has begun and whose reservation is over; the ids of those cancelled."""
    with desk.db.read() as tx:
        expired = stock.expired(tx, AT_ONCE)
    return [action_id for action_id, version in expired if _expire(desk, action_id, version)]


def _may_send(means: Means, attempt: Attempt, connector: Connector) -> bool:
    """Not when it was tried too often: what kills its worker must not kill all of them."""
    claim = attempt.claim
    return (
        connector.dedupes
        and not claim.cancel_recorded
        and claim.attempt <= attempts_allowed(means.desk, claim.kind)
    )


def _expire(desk: Desk, action_id: str, version: int) -> bool:
    # By version: a hold or an extension may renew the reservation at this moment.
    asker = Asker("policy", "the reservation has expired", seen=version)

    def work(tx: Tx) -> bool:
        return cancel(tx, action_id, asker, "policy:reservation") is not None

    return desk.db.transact(work)
