"""Who asks for an arrow, and what they saw."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Asker:
    """`actor` stands in events; `owner` limits to one agent's actions; `seen` is the version
    that was on the asker's screen, None to ask whatever it is."""

    actor: str
    reason: str | None = None
    owner: str | None = None
    seen: int | None = None

    def values(self, action_id: str, **more: Any) -> dict[str, Any]:
        """Parameters for the statements that `arrow.asked` builds."""
        return {
            "id": action_id,
            "by": self.actor,
            "why": self.reason,
            "owner": self.owner,
            "seen": self.seen,
            **more,
        }
