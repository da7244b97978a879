"""Stopping and resuming claims: everything, one agent, or one kind."""

from webapp.domain.errors import Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import check_note
from webapp.store import admin_log, agents, pauses
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.pauses import Pause


def pause(
    desk: Desk,
    caller: Caller,
    *,
    reason: str,
    agent: str | None = None,
    kind: str | None = None,
) -> Pause:
    """No claims and no repeated attempts from each worker's next claim on; cancel goes on.

    Raises Invalid, Unavailable.
    """
    if not reason.strip():
        raise Invalid.field("/reason", "is required: say why, for the others")
    check_note(reason)
    if kind is not None and kind not in KINDS:
        raise Invalid.field("/kind", f"not one of {', '.join(KINDS)}")

    def work(tx: Tx) -> Pause:
        if agent is not None and agent not in agents.names(tx):
            raise Invalid.field("/agent", f"there is no agent {agent[:60]!r}")
        admin_log.note(tx, Area.PAUSES, _named(agent, kind), f"paused: {reason}", caller.actor)
        return pauses.add(tx, agent=agent, kind=kind, reason=reason, by=caller.actor)

    return desk.db.transact(work)


def unpause(desk: Desk, caller: Caller, pause_id: int) -> Pause:
    """End one pause; what fell due under it gets a grace. Raises NotFound, Unavailable."""
    # A number beyond the column's is none that a pause can have.
    possible = 0 < pause_id < 2**31

    def work(tx: Tx) -> Pause | None:
        ended = pauses.remove(tx, pause_id, caller.actor)
        if ended is not None:
            what = _named(ended.agent, ended.kind)
            admin_log.note(tx, Area.PAUSES, what, f"resumed: {ended.reason}", caller.actor)
        return ended

    ended = desk.db.transact(work) if possible else None
    if not ended:
        raise NotFound(f"There is no pause {pause_id} any more.")
    return ended


def resume(desk: Desk, caller: Caller) -> list[Pause]:
    """End every pause that stops everything; those of one agent or kind stand."""
    everything = [one for one in standing(desk) if one.agent is None and one.kind is None]
    return [unpause(desk, caller, one.id) for one in everything]


def standing(desk: Desk) -> list[Pause]:
    """All pauses, oldest first."""
    with desk.db.read() as tx:
        return pauses.standing(tx)


def _named(agent: str | None, kind: str | None) -> str:
    return " by ".join(part for part in (kind, agent) if part) or "everything"
