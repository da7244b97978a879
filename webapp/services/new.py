"""What is to be inserted, before the policy has spoken."""

from dataclasses import dataclass
from typing import Any

from webapp.domain.action import Action
from webapp.domain.drafts import Customer, Draft
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


def follow_up(
    found: Action, kind: str, summary: str, reason: str, payload: dict[str, Any]
) -> Draft:
    """A draft for the customer and the order of `found`, which waits for nothing and joins nothing.

    It is not checked again: what is taken over was, and the payload is the caller's to check.
    """
    return Draft.model_construct(
        kind=kind,
        summary=summary,
        reason=reason,
        payload=payload,
        customer=Customer.model_validate(dict(found.customer)),
        order=found.order_ref,
        depends_on=[],
        not_before=None,
        merge_key=None,
    )
