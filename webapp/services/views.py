"""First views: what was really on somebody's screen."""

from collections.abc import Iterable

from webapp.services.desk import Desk
from webapp.store import views

AT_MOST = 500
"""Rows in one report."""


def record(desk: Desk, person_id: int, seen: Iterable[tuple[str, int]]) -> None:
    """Pairs of action id and version; unknown ones are passed over. Raises Unavailable."""
    pairs = sorted(set(seen))[:AT_MOST]
    if pairs:
        desk.db.transact(lambda tx: views.record(tx, person_id, pairs))
