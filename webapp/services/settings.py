"""The policy table as admins see and change it: one validation for page and command line."""

from collections.abc import Mapping

from pydantic import ValidationError

from webapp.domain.errors import FieldError, Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode, Policy
from webapp.services.desk import Desk
from webapp.store import holding, policies
from webapp.store.engine import Tx

LATER = frozenset(
    {
        *("first_of_kind", "likely_duplicate", "needs_eyes", "approval_ttl_seconds"),
        *("max_overdue_seconds", "on_parent_failed", "desk_hours", "burst", "spend"),
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


def change(
    desk: Desk, kind: str, values: Mapping[str, str], by: str, *, hold_scheduled: bool = False
) -> tuple[Policy, list[str]]:
    """Set `values` in one kind's row; returns the row and the ids that were held.

    `hold_scheduled` goes with `mode=off`: what is scheduled already is held. Raises NotFound,
    Invalid (one error a key), Unavailable.
    """
    if kind not in KINDS:
        raise NotFound(f"There is no kind {kind!r}: {', '.join(KINDS)}.")

    def work(tx: Tx) -> tuple[Policy, list[str]]:
        before = desk.read_table(tx).row(kind)
        after = _changed(before, values)
        _check(desk, kind, after)
        policies.write(tx, kind, after.model_dump(mode="json"), by)
        if not hold_scheduled:
            return after, []
        if after.mode is not Mode.OFF:
            raise Invalid.field("/hold_scheduled", "goes with mode=off only")
        return after, holding.hold_kind(tx, kind, by, f"{kind} was switched off")

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
            FieldError(f"/{error['loc'][0] if error['loc'] else 'mode'}", _words(error))
            for error in problem.errors(include_url=False)
        )
        detail = "; ".join(f"{error.pointer[1:]}: {error.detail}" for error in errors)
        raise Invalid(detail, errors) from None


def _words(error: Mapping[str, object]) -> str:
    if error["type"] == "extra_forbidden":
        return f"is not a policy key; they are {', '.join(Policy.model_fields)}"
    return str(error["msg"]).removeprefix("Value error, ")


def _check(desk: Desk, kind: str, after: Policy) -> None:
    if KINDS[kind].repairs and after.mode is Mode.OFF:
        raise Invalid.field("/mode", "a way back is not switched off: people would be stuck")
    needed = after.window_seconds + after.margin_seconds + desk.settings.lease_seconds
    if kind == "exchange" and after.reservation_seconds <= needed:
        raise Invalid.field(
            "/reservation_seconds",
            f"must exceed window, margin and lease together ({needed:g} s)",
        )
