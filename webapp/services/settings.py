"""The policy table as admins see and change it: one validation for page and command line."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.errors import Changed, FieldError, Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode, Policy
from webapp.domain.times import SECOND
from webapp.services import gate
from webapp.services.desk import Desk
from webapp.store import holding, policies
from webapp.store.engine import Tx
from webapp.store.holding import Cause


def show(desk: Desk, kind: str | None = None) -> dict[str, dict[str, object]]:
    """Rows by kind, keys and values as they are set. Raises NotFound."""
    if kind is not None:
        require_kind(kind)
    table = desk.table()
    return {
        name: table.row(name).model_dump(mode="json")
        for name in (KINDS if kind is None else (kind,))
    }


def mark(policy: Policy) -> str:
    """Names what a row says, so that a form can tell whether it changed meanwhile."""
    return fingerprint(canonical(policy.model_dump(mode="json")))


def tried(desk: Desk, kind: str, values: Mapping[str, str]) -> Policy:
    """The row as `change` would set it; nothing is written. Raises NotFound, Invalid."""
    require_kind(kind)
    after = _changed(desk.table().row(kind), values)
    _check(desk, kind, after)
    return after


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
    of the row that the change starts from. Raises NotFound, Invalid (one error a key; the mode
    where a step of `gate` is missing), Changed, Unavailable.
    """
    return put(
        desk,
        kind,
        lambda before: _changed(before, values),
        by,
        hold_scheduled=hold_scheduled,
        seen=seen,
    )


def put(
    desk: Desk,
    kind: str,
    build: Callable[[Policy], Policy],
    by: str,
    *,
    hold_scheduled: bool = False,
    seen: str | None = None,
    restores: int | None = None,
) -> tuple[Policy, list[str]]:
    """`change` to what `build` makes of the row that stands; `restores` names the row put back."""
    require_kind(kind)
    missing = _missing(desk, kind, build)

    def work(tx: Tx) -> tuple[Policy, list[str]]:
        before = desk.read_table(tx).row(kind)
        if seen is not None and seen != mark(before):
            raise Changed(f"The settings of {kind} were changed since you saw them.")
        after = build(before)
        _check(desk, kind, after)
        if _opens(before, after):
            if missing is None:
                raise Changed(f"The settings of {kind} were changed at this moment: try again.")
            if missing:
                raise Invalid.field("/mode", gate.refusal(missing, after.mode))
        policies.write(tx, kind, after.model_dump(mode="json"), by, restores)
        if not hold_scheduled:
            return after, []
        if after.mode is not Mode.OFF:
            raise Invalid.field("/hold_scheduled", "goes with mode=off only")
        reserve = after.reservation_seconds * SECOND
        return after, holding.hold_kind(tx, kind, Cause(by, f"{kind} was switched off", reserve))

    result = desk.db.transact(work)
    desk.table()
    return result


def require_kind(kind: str) -> None:
    """Raises NotFound."""
    if kind not in KINDS:
        raise NotFound(f"There is no kind {kind!r}: {', '.join(KINDS)}.")


def _missing(desk: Desk, kind: str, build: Callable[[Policy], Policy]) -> list[str] | None:
    """What `gate` misses, where it is asked at all; before the transaction, for it may take long.

    None: it was not asked.
    """
    before = desk.table().row(kind)
    with contextlib.suppress(Invalid):  # the transaction says so
        if _opens(before, build(before)):
            return gate.missing(gate.steps(desk, kind))
    return None


def _opens(before: Policy, after: Policy) -> bool:
    """Whether the kind goes to a mode in which it runs by itself."""
    return after.mode in gate.RUNS and after.mode is not before.mode


def _changed(before: Policy, values: Mapping[str, str]) -> Policy:
    try:
        return Policy.model_validate(before.model_dump(mode="json") | dict(values))
    except ValidationError as problem:
        errors = tuple(
            FieldError(f"/{_key(error)}", _words(error))
            for error in problem.errors(include_url=False)
        )
        detail = "; ".join(f"{error.pointer[1:]}: {error.detail}" for error in errors)
        raise Invalid(detail, errors) from None


def _key(error: Mapping[str, Any]) -> str:
    # A rule on several keys (Policy's checks) begins with the one to change.
    return str(error["loc"][0] if error["loc"] else _words(error).split()[0])


def _words(error: Mapping[str, Any]) -> str:
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
