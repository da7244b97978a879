"""One case: an action, and all that is known of it, as a page and a file show it."""

from dataclasses import dataclass

from webapp.domain.action import Action
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import require
from webapp.services.screen import Surroundings, surroundings
from webapp.store import events, views
from webapp.store.events import Event
from webapp.store.views import Look


@dataclass(frozen=True, slots=True)
class Case:
    """An action, what it refers to, what happened to it and who had it on screen."""

    action: Action
    around: Surroundings
    events: list[Event]
    looks: list[Look]


def case(desk: Desk, action_id: str, caller: Caller) -> Case:
    """Raises NotFound."""
    with desk.db.read() as tx:
        found = require(tx, action_id, caller)
        return Case(
            found,
            surroundings(tx, [found]),
            events.of_action(tx, action_id),
            views.of(tx, action_id),
        )
