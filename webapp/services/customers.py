"""Flagged customers, for the policy."""

from webapp.domain.errors import Invalid, NotFound
from webapp.services.desk import Desk
from webapp.services.explain import check_note
from webapp.store import admin_log, holding, policies
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.holding import Cause
from webapp.store.policies import Flag


def flags(desk: Desk) -> list[Flag]:
    """All flagged customers, by reference."""
    with desk.db.read() as tx:
        return policies.flags(tx)


def flag(desk: Desk, ref: str, reason: str, by: str, *, hold_scheduled: bool = False) -> list[str]:
    """Flag a customer; again replaces the reason. The flag is for drafts from then on.

    `hold_scheduled` holds in the same transaction what is scheduled for them already; returns the
    ids that were held. Raises Invalid, Unavailable.
    """
    if not 1 <= len(ref) <= 200 or not ref.isprintable():
        raise Invalid.field("/ref", "needs 1 to 200 printable characters")
    check_note(reason)

    def work(tx: Tx) -> list[str]:
        policies.flag(tx, ref, reason, by)
        admin_log.note(tx, Area.CUSTOMERS, ref, f"flagged: {reason}" if reason else "flagged", by)
        if not hold_scheduled:
            return []
        words = f"the customer was flagged: {reason}" if reason else "the customer was flagged"
        reserve = desk.read_table(tx).longest_reservation
        return holding.hold_customer(tx, ref, Cause(by, words, reserve))

    held = desk.db.transact(work)
    desk.table()
    return held


def unflag(desk: Desk, ref: str, by: str = "command") -> None:
    """Take the flag away. Raises NotFound where there is none."""

    def work(tx: Tx) -> bool:
        gone = policies.unflag(tx, ref)
        if gone:
            admin_log.note(tx, Area.CUSTOMERS, ref, "not flagged any more", by)
        return gone

    if not desk.db.transact(work):
        raise NotFound(f"The customer {ref!r} is not flagged.")
    desk.table()
