"""Flagged customers, for the policy."""

from webapp.domain.errors import Invalid, NotFound
from webapp.services.desk import Desk
from webapp.store import policies
from webapp.store.policies import Flag


def flags(desk: Desk) -> list[Flag]:
    """All flagged customers, by reference."""
    with desk.db.read() as tx:
        return policies.flags(tx)


def flag(desk: Desk, ref: str, reason: str, by: str) -> None:
    """Flag a customer; again replaces the reason. Raises Invalid."""
    if not 1 <= len(ref) <= 200 or not ref.isprintable():
        raise Invalid.field("/ref", "needs 1 to 200 printable characters")
    desk.db.transact(lambda tx: policies.flag(tx, ref, reason, by))
    desk.table()


def unflag(desk: Desk, ref: str) -> None:
    """Take the flag away. Raises NotFound where there is none."""
    if not desk.db.transact(lambda tx: policies.unflag(tx, ref)):
        raise NotFound(f"The customer {ref!r} is not flagged.")
    desk.table()
