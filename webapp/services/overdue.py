"""What workers leave to a person: overdue for longer than its kind allows, or seen by nobody.

Promise 14: overdue counts from when an action became claimable; a pause does not count. Promise 13:
a kind that asks for eyes has none run that nobody had on screen before its time.
"""

from webapp.services.desk import Desk
from webapp.store import overdue


def hold_overdue(desk: Desk) -> int:
    """Hold all of them; how many. Raises Unavailable."""
    reserve = desk.table().longest_reservation
    held = 0
    while now := desk.db.statement(lambda tx: overdue.hold(tx, reserve)):
        held += now
    return held
