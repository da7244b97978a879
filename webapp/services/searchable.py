"""The follower that keeps the index of words: soon after it happened, an action can be found."""

from collections.abc import Sequence

from webapp.domain.states import TERMINAL
from webapp.store import search
from webapp.store.engine import Tx
from webapp.store.events import Event
from webapp.store.followers import Write

_SAYS_MORE = frozenset({"drafted", "merged", "settled", "resolved", "unknown", "cancel_too_late"})
"""After which an action has other words than before, though its state be none to keep."""


class Searchable:
    """Reads each action that events tell something new of, once a piece."""

    name = search.FOLLOWER

    def digest(self, tx: Tx, found: Sequence[Event]) -> Write:
        entries = search.read(tx, touched(found))
        return lambda tx: search.keep(tx, entries)


def touched(found: Sequence[Event]) -> list[str]:
    """The actions that are to be found by other words or marks after these events."""
    told = (one for one in found if one.verb in _SAYS_MORE or one.to_state in TERMINAL)
    return list(dict.fromkeys(one.action for one in told))
