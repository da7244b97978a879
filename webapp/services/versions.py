"""Every version of a kind's policy: who changed what, when, and putting an earlier one back."""

from dataclasses import dataclass

from pydantic import ValidationError

from webapp.domain.errors import Invalid, NotFound
from webapp.domain.policy import Policy, default_policy
from webapp.services import settings
from webapp.services.desk import Desk
from webapp.store import policies

DEFAULTS = 0
"""The version before the first: what holds until an admin decides."""


@dataclass(frozen=True, slots=True)
class Change:
    """Who changed which keys of a kind's row: `(key, before, after)`. Time in microseconds."""

    id: int
    kind: str
    by: str
    at: int
    keys: tuple[tuple[str, object, object], ...]
    restores: int | None
    """The version that this one put back."""


def changes(desk: Desk, limit: int, kind: str | None = None) -> list[Change]:
    """The latest changes, newest first; of one kind, or all."""
    with desk.db.read() as tx:
        found = policies.changes(tx, limit, kind)
    return [
        Change(one.id, one.kind, one.changed_by, one.changed_at, _differences(one), one.restores)
        for one in found
    ]


def restore(desk: Desk, kind: str, version: int, by: str, *, seen: str | None = None) -> Policy:
    """A new change that equals the row after change `version` (or DEFAULTS), checked like any.

    Keys that it did not have yet get their defaults. Raises NotFound, Invalid, Changed,
    Unavailable.
    """
    settings.require_kind(kind)
    row = default_policy(kind) if version == DEFAULTS else _row(desk, kind, version)
    after, _ = settings.put(desk, kind, lambda _: row, by, seen=seen, restores=version)
    return after


def _row(desk: Desk, kind: str, version: int) -> Policy:
    # a number beyond the column's is none that a change can have
    with desk.db.read() as tx:
        body = policies.version(tx, kind, version) if 0 < version < 2**31 else None
    if body is None:
        raise NotFound(f"There is no version {version} of {kind}.")
    try:
        return Policy.model_validate(body)
    except ValidationError as problem:
        words = "; ".join(str(error["msg"]) for error in problem.errors(include_url=False))
        raise Invalid(f"This version is not valid any more: {words}") from None


def _differences(one: policies.Change) -> tuple[tuple[str, object, object], ...]:
    # a key that the row did not have yet had its default
    before = default_policy(one.kind).model_dump(mode="json") | (one.before or {})
    return tuple(
        (key, before.get(key), after)
        for key, after in one.after.items()
        if before.get(key) != after
    )
