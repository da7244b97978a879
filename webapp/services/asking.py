"""Asking for an arrow: who may, on which version, and the row's own answer when nothing moved."""

from collections.abc import Callable
from dataclasses import dataclass

from webapp.domain.action import Action
from webapp.domain.errors import WrongState
from webapp.domain.states import CANCELLABLE, State
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import check_note, check_seen, require
from webapp.store import events
from webapp.store.asker import Asker
from webapp.store.engine import AnyRow, Tx

Move = Callable[[Tx, Asker, Action], AnyRow | None]
"""An arrow of the store on the action as it was read; None: nothing moved."""


@dataclass(frozen=True, slots=True)
class Verb:
    """`past` says it in a sentence, `needed` is the state it starts from, `refusal` the error.

    `waits` is the error for what has not begun, where that is another one.
    """

    past: str
    needed: State
    refusal: type[WrongState]
    waits: type[WrongState] | None = None

    def refused(self, found: Action) -> WrongState:
        """Why it can't be done to `found`."""
        error = self.waits if found.state in CANCELLABLE else None
        return (error or self.refusal)(
            f"The action cannot be {self.past}: it is {found.state.words}, by {found.state_by}."
        )


def ask(
    desk: Desk,
    action_id: str,
    caller: Caller,
    verb: Verb,
    move: Move,
    *,
    reason: str | None = None,
    seen: int | None = None,
    stuck: Callable[[Action], None] | None = None,
) -> Action:
    """Run `move` in one transaction and return the action as it is then.

    Who won is told so although the answer to the commit was lost: the event carries the call's
    own id. `stuck` may raise a better error for an action that is in the right state and version.
    Raises Invalid (a reason too long), NotFound, Changed (the right state, not the version seen),
    the verb's refusal, Unavailable.
    """
    check_note(reason)
    asker = caller.asker(reason, seen)

    def work(tx: Tx) -> Action:
        found = require(tx, action_id, caller)
        if events.with_key(tx, action_id, asker.request or "") or move(tx, asker, found):
            return require(tx, action_id, caller)
        found = require(tx, action_id, caller)
        if found.state is verb.needed:
            check_seen(found, seen)
            if stuck is not None:
                stuck(found)
        raise verb.refused(found)

    return desk.db.transact(work)
