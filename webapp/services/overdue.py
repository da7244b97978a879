"""After downtime: what is overdue for longer than its kind allows waits for a person.

Promise 14. Overdue counts from when an action became claimable; a pause does not count.
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
