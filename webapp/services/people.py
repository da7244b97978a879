"""Who may sign in."""

from webapp.services.desk import Desk
from webapp.store import people
from webapp.store.people import Person


def everyone(desk: Desk) -> list[Person]:
    """All people, by address."""
    with desk.db.read() as tx:
        return people.everyone(tx)
