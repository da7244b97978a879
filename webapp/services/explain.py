"""Why an arrow found nothing to move: the row's own answer, as an error."""

from collections.abc import Callable

from webapp.domain.action import Action
from webapp.domain.errors import Changed, NotFound, WrongState
from webapp.domain.states import State
from webapp.services.caller import Caller
from webapp.store import actions, events
from webapp.store.asker import Asker
from webapp.store.engine import AnyRow, Tx


def require(tx: Tx, action_id: str, caller: Caller) -> Action:
    """The action, if it is there and the caller's to see. Raises NotFound."""
    found = actions.get(tx, action_id, agent=caller.owner)
    if found is None:
        raise NotFound(f"There is no action {action_id[:60]} here.")
    return found


def check_seen(found: Action, seen: int | None) -> None:
    """Raises Changed when the caller saw another version."""
    if seen is not None and found.version != seen:
        raise Changed(
            f"The action is at version {found.version} now, you saw {seen}: look at it again."
        )


def moved(tx: Tx, action_id: str, asker: Asker, arrow: Callable[[], AnyRow | None]) -> bool:
    """Whether `arrow` wins for this asker now, or had when its commit's answer was lost."""
    before = asker.request and events.with_key(tx, action_id, asker.request)
    return bool(before) or arrow() is not None


def answer(
    tx: Tx,
    action_id: str,
    caller: Caller,
    seen: int | None,
    *,
    won: bool,
    needed: State,
    refusal: type[WrongState],
    verb: str,
) -> Action:
    """The action after an arrow from `needed`, or why the arrow found nothing to move.

    Raises NotFound, Changed (in the right state, but not the version seen), or `refusal`.
    """
    found = require(tx, action_id, caller)
    if won:
        return found
    if found.state is needed:
        check_seen(found, seen)
    raise refusal(
        f"The action cannot be {verb}: it is {found.state.label.lower()}, by {found.state_by}."
    )
