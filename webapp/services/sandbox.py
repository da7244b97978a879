"""What the sandbox connectors did, with the actions behind it."""

from dataclasses import dataclass
from pathlib import Path

from webapp.connectors.registry import ledger
from webapp.connectors.sandbox.ledger import Entry, Ledger, LedgerBusy
from webapp.domain.errors import Unavailable
from webapp.services.desk import Desk


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect, what it took back (or corrected), and the first that did so to it."""

    entry: Entry
    status: str
    took_back: Entry | None
    taken_back_by: Entry | None


def newest(desk: Desk, *, limit: int, skip: int = 0) -> list[Effect]:
    """Newest first. Makes no ledger where there is none. Raises Unavailable."""
    if not Path(desk.settings.sandbox_path).is_file():
        return []
    opened = ledger(desk.settings)
    try:
        return [_effect(opened, entry, desk.now()) for entry in opened.entries(limit, skip)]
    except LedgerBusy as problem:
        raise Unavailable(f"The sandbox's ledger cannot be read now: {problem}.") from None
    finally:
        opened.close()


def _effect(opened: Ledger, entry: Entry, now: int) -> Effect:
    return Effect(
        entry,
        entry.status(now),
        opened.find_provider_id(entry.reverses) if entry.reverses else None,
        opened.find(entry.reversed_by) if entry.reversed_by else None,
    )
