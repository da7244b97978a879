"""Reading: one action, lists, the feed, events."""

from webapp.domain.action import Action
from webapp.domain.times import SECOND
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import require
from webapp.store import actions, events, people
from webapp.store.events import Event

FINISHED_SHOWN_FOR = 15 * 60 * SECOND
"""How long a finished row stays on the feed."""


def get(desk: Desk, action_id: str, caller: Caller) -> Action:
    """One action. Raises NotFound, also for what is not the caller's own."""
    with desk.db.read() as tx:
        return require(tx, action_id, caller)


def newest(
    desk: Desk,
    caller: Caller,
    *,
    limit: int,
    before: str | None = None,
    state: str | None = None,
    kind: str | None = None,
    agent: str | None = None,
    customer: str | None = None,
    order: str | None = None,
) -> list[Action]:
    """Newest drafted first, from below the id `before`; an agent sees only its own."""
    if caller.owner is not None and agent not in (None, caller.owner):
        return []
    with desk.db.read() as tx:
        return actions.newest(
            tx,
            limit=limit,
            before=before,
            state=state,
            kind=kind,
            agent=caller.owner or agent,
            customer_ref=customer,
            order_ref=order,
        )


def feed(desk: Desk, *, limit: int = 200) -> tuple[list[Action], str]:
    """What staff should see, and the cursor from which a socket goes on.

    The cursor is read first: an event after it may be shown twice, none can be missed.
    """
    with desk.db.read() as tx:
        cursor = events.latest(tx)
        rows = actions.feed(tx, finished_after=desk.now() - FINISHED_SHOWN_FOR, limit=limit)
    return rows, cursor


def several(desk: Desk, ids: list[str]) -> dict[str, Action]:
    """Those of `ids` that exist, by id."""
    with desk.db.read() as tx:
        return actions.many(tx, ids)


def events_after(desk: Desk, caller: Caller, cursor: str, limit: int) -> list[Event]:
    """Events behind `cursor`, in order; an agent sees only its own. Raises Invalid."""
    with desk.db.read() as tx:
        return events.after(tx, cursor, limit, agent=caller.owner)


def timeline(desk: Desk, action_id: str, caller: Caller) -> list[Event]:
    """All that happened to one action, oldest first. Raises NotFound."""
    with desk.db.read() as tx:
        require(tx, action_id, caller)
        return events.of_action(tx, action_id)


def children(desk: Desk, action_id: str) -> list[str]:
    """Ids of the actions that depend on it."""
    with desk.db.read() as tx:
        return actions.children(tx, action_id)


def names(desk: Desk) -> dict[str, str]:
    """People's names by actor, for showing who did what."""
    with desk.db.read() as tx:
        return {person.actor: person.name for person in people.everyone(tx)}
