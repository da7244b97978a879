"""How a person wants the desk: read for every page, and saved by themselves alone."""

from typing import Any

from pydantic import ValidationError

from webapp.domain.drafts import validated
from webapp.domain.preferences import Preferences
from webapp.services.desk import Desk
from webapp.store import preferences


def of(desk: Desk, person_id: int) -> Preferences:
    """What they chose; the defaults for who chose nothing."""
    with desk.db.read() as tx:
        kept = preferences.of(tx, person_id)
    try:
        return Preferences.model_validate(kept)
    except ValidationError:
        # A zone that a newer table of zones has dropped must not lock anybody out of the page
        # on which another is chosen.
        return Preferences()


def save(desk: Desk, person_id: int, chosen: dict[str, Any]) -> Preferences:
    """Keep all of `chosen`, what is left out by its default. Raises Invalid, Unavailable."""
    new = validated(Preferences, chosen)
    desk.db.transact(lambda tx: preferences.write(tx, person_id, new.model_dump(mode="json")))
    return new
