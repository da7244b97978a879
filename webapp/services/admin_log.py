"""What admins changed beside the policy table, for the pages that change it."""

from webapp.services.desk import Desk
from webapp.store import admin_log
from webapp.store.admin_log import AdminChange, Area


def latest(desk: Desk, area: Area, limit: int = 20) -> list[AdminChange]:
    """The latest changes of one area, newest first."""
    with desk.db.read() as tx:
        return admin_log.latest(tx, area, limit)
