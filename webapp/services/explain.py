"""What every verb asks of the action first."""

from webapp.domain.action import Action
from webapp.domain.errors import Changed, Invalid, NotFound, WrongState
from webapp.domain.text import NOTE_AT_MOST
from webapp.services.caller import Caller
from webapp.store import actions
from webapp.store.engine import Tx


def require(tx: Tx, action_id: str, caller: Caller) -> Action:
    """The action, if it is there and the caller's to see. Raises NotFound."""
    found = actions.get(tx, action_id, agent=caller.owner)
    if found is None:
        raise NotFound(f"There is no action {action_id[:60]} here.")
    return found


def check_note(text: str | None, pointer: str = "/reason") -> None:
    """What the API refuses by its schema, for pages and commands. Raises Invalid."""
    if text is not None and len(text) > NOTE_AT_MOST:
        raise Invalid.field(pointer, f"must have at most {NOTE_AT_MOST} characters")


def check_seen(found: Action, seen: int | None) -> None:
    """Raises Changed when the caller saw another version."""
    if seen is not None and found.version != seen:
        raise Changed(
            f"The action is at version {found.version} now, you saw {seen}: look at it again."
        )


def check_kept(found: Action) -> None:
    """Raises WrongState where what it would need is gone."""
    if found.pruned:
        raise WrongState("Its payload was removed: it ended longer ago than this desk keeps it.")
