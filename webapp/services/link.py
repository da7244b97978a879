"""Taking a customer's link back: the old one leads nowhere from then on, a new one is there."""

from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.explain import require
from webapp.store import events, links
from webapp.store.engine import Tx


def renew(desk: Desk, action_id: str, caller: Caller, seen: int) -> bool:
    """Whether the link of generation `seen` was the one that stood, and is gone now.

    One that is gone already costs nobody the link that has been made since. Raises NotFound,
    Unavailable.
    """
    asker = caller.asker()

    def work(tx: Tx) -> bool:
        require(tx, action_id, caller)
        # a commit whose answer was lost runs again: then its own event is there
        told = events.with_key(tx, action_id, asker.request or "")
        return told is not None or links.renew(tx, action_id, asker, seen)

    return desk.db.transact(work)
