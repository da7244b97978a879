"""What is to be inserted, before the policy has spoken."""

from dataclasses import dataclass

from webapp.domain.drafts import Draft
from webapp.domain.kinds.base import Kind


@dataclass(frozen=True, slots=True)
class New:
    """A draft, who drafts it for which agent, and what it repeats or takes back."""

    kind: Kind
    draft: Draft
    agent: str
    drafted_by: str
    key: str | None = None
    body_hash: str | None = None
    compensates: str | None = None
    again_of: str | None = None
    reason: str | None = None
    """Said in the event: why a person drafted it."""
