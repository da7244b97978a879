"""Reading: one action, lists, its timeline, who is who."""

from collections.abc import Iterable

from webapp.domain.action import Action
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import require
from webapp.store import actions, dependants, events, people
from webapp.store.dependants import Dependant
from webapp.store.events import Event


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


def stopped_with(desk: Desk, found: Iterable[Action]) -> dict[str, list[Dependant]]:
    """By id, what a cancel of each would take along now, nearest first."""
    asked = [one.id for one in found if one.cancellable and one.has_dependants]
    if not asked:
        return {}
    with desk.db.read() as tx:
        return dependants.stopped_with(tx, asked)


def timeline(desk: Desk, action_id: str, caller: Caller) -> list[Event]:
    """All that happened to one action, oldest first. Raises NotFound."""
    with desk.db.read() as tx:
        require(tx, action_id, caller)
        return events.of_action(tx, action_id)


def names(desk: Desk) -> dict[str, str]:
    """People's names by actor, for showing who did what."""
    with desk.db.read() as tx:
        return {person.actor: person.name for person in people.everyone(tx)}
