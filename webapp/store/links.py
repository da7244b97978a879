"""The generation of a customer's link: what was signed for an earlier one leads nowhere."""

from sqlalchemy import Integer, String, bindparam, update

from webapp.store.arrow import record
from webapp.store.asker import Asker
from webapp.store.engine import Tx
from webapp.store.schema import action

_RENEW = (
    update(action)
    .where(
        action.c.id == bindparam("b_id", type_=String()),
        action.c.link == bindparam("b_link", type_=Integer()),
    )
    .values(link=action.c.link + 1, version=action.c.version + 1)
    .returning(action.c.id, action.c.kind, action.c.state, action.c.state.label("previous_state"))
)


def renew(tx: Tx, action_id: str, asker: Asker, link: int) -> bool:
    """The next generation, with its event. False: `link` is not the one that stands."""
    row = tx.conn.execute(_RENEW, {"b_id": action_id, "b_link": link}).first()
    if row is None:
        return False
    record(tx, row, "link_renewed", asker.actor, request_key=asker.request)
    return True
