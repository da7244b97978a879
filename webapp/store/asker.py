"""Who asks for an arrow, and what they saw."""

from dataclasses import dataclass
from typing import Any

_LARGEST = 2**31 - 1
"""A version beyond it is none that a row can have, and no integer of the database."""


@dataclass(frozen=True, slots=True)
class Asker:
    """`actor` stands in events; `owner` limits to one agent's actions; `seen` is the version
    that was on the asker's screen, None to ask whatever it is; `request` names the call, so that
    the event says whose arrow it was when the commit's answer is lost."""

    actor: str
    reason: str | None = None
    owner: str | None = None
    seen: int | None = None
    request: str | None = None

    def values(self, action_id: str, **more: Any) -> dict[str, Any]:
        """Parameters for the statements that `arrow.asked` builds."""
        possible = self.seen is None or 0 <= self.seen <= _LARGEST
        return {
            "id": action_id,
            "by": self.actor,
            "why": self.reason,
            "owner": self.owner,
            "seen": self.seen if possible else 0,
            **more,
        }
