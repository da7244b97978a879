"""The policy table as admins see and change it: one validation for page and command line."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.errors import Changed, FieldError, Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode, Policy, default_policy
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import holding, policies
from webapp.store.engine import Tx
from webapp.store.holding import Cause

LATER = frozenset(
    {
        *("first_of_kind", "likely_duplicate", "needs_eyes", "approval_ttl_seconds"),
        *("desk_hours", "burst", "spend"),
    }
)
"""Keys of the contract that are not built yet."""


def show(desk: Desk, kind: str | None = None) -> dict[str, dict[str, object]]:
    """Rows by kind, keys and values as they are set. Raises NotFound."""
    if kind is not None and kind not in KINDS:
        raise NotFound(f"There is no kind {kind!r}: {', '.join(KINDS)}.")
    table = desk.table()
    return {
        name: table.row(name).model_dump(mode="json")
        for name in (KINDS if kind is None else (kind,))
    }


def mark(policy: Policy) -> str:
    """Names what a row says, so that a form can tell whether it changed meanwhile."""
    return fingerprint(canonical(policy.model_dump(mode="json")))


@dataclass(frozen=True, slots=True)
class Change:
    """Who changed which keys of a kind's row: `(key, before, after)`. Time in microseconds."""

    kind: str
    by: str
    at: int
    keys: tuple[tuple[str, object, object], ...]


def changes(desk: Desk, limit: int) -> list[Change]:
    """The latest changes, newest first."""
    with desk.db.read() as tx:
        found = policies.changes(tx, limit)
    return [Change(one.kind, one.changed_by, one.changed_at, _differences(one)) for one in found]


def _differences(one: policies.Change) -> tuple[tuple[str, object, object], ...]:
    before = one.before or default_policy(one.kind).model_dump(mode="json")
    return tuple(
        (key, before.get(key), after)
        for key, after in one.after.items()
        if before.get(key) != after
    )


def change(
    desk: Desk,
    kind: str,
    values: Mapping[str, str],
    by: str,
    *,
    hold_scheduled: bool = False,
    seen: str | None = None,
) -> tuple[Policy, list[str]]:
    """Set `values` in one kind's row; returns the row and the ids that were held.

    `hold_scheduled` goes with `mode=off`: what is scheduled already is held. `seen` is the `mark`
    of the row that the change starts from. Raises NotFound, Invalid (one error a key), Changed,
    Unavailable.
    """
    if kind not in KINDS:
        raise NotFound(f"There is no kind {kind!r}: {', '.join(KINDS)}.")

    def work(tx: Tx) -> tuple[Policy, list[str]]:
        before = desk.read_table(tx).row(kind)
        if seen is not None and seen != mark(before):
            raise Changed(f"The settings of {kind} were changed since you saw them.")
        after = _changed(before, values)
        _check(desk, kind, after)
        policies.write(tx, kind, after.model_dump(mode="json"), by)
        if not hold_scheduled:
            return after, []
        if after.mode is not Mode.OFF:
            raise Invalid.field("/hold_scheduled", "goes with mode=off only")
        reserve = after.reservation_seconds * SECOND
        return after, holding.hold_kind(tx, kind, Cause(by, f"{kind} was switched off", reserve))

    result = desk.db.transact(work)
    desk.table()
    return result


def _changed(before: Policy, values: Mapping[str, str]) -> Policy:
    later = [key for key in values if key in LATER]
    if later or values.get("mode") == "shadow":
        key = later[0] if later else "mode"
        raise Invalid.field(f"/{key}", f"{key}={values[key]} is not built yet")
    try:
        return Policy.model_validate(before.model_dump(mode="json") | dict(values))
    except ValidationError as problem:
        errors = tuple(
            FieldError(f"/{_key(error['loc'])}", _words(error))
            for error in problem.errors(include_url=False)
        )
        detail = "; ".join(f"{error.pointer[1:]}: {error.detail}" for error in errors)
        raise Invalid(detail, errors) from None


def _key(location: tuple[int | str, ...]) -> int | str:
    # the one rule on several keys is about the longer window (Policy._long_is_longer)
    return location[0] if location else "long_window_seconds"


def _words(error: Mapping[str, object]) -> str:
    if error["type"] == "extra_forbidden":
        return f"is not a policy key; they are {', '.join(Policy.model_fields)}"
    return str(error["msg"]).removeprefix("Value error, ")


def _check(desk: Desk, kind: str, after: Policy) -> None:
    if KINDS[kind].repairs and after.mode is Mode.OFF:
        raise Invalid.field("/mode", "a way back is not switched off: people would be stuck")
    needed = after.longest_window_seconds + after.margin_seconds + desk.settings.lease_seconds
    if kind == "exchange" and after.reservation_seconds <= needed:
        raise Invalid.field(
            "/reservation_seconds",
            f"must exceed window, margin and lease together ({needed:g} s)",
        )
