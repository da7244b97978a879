"""Arrows that people and agents cause. Each function is one arrow; None: someone moved it first.

Durations are microseconds. The claim and what follows it stand in `claims`.
"""

import json
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, case, false, func, literal

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store.actions import lock
from webapp.store.arrow import Arrow, Unmoved, asked, owned, param, record
from webapp.store.asker import Asker
from webapp.store.cancelling import CANCELLED, CANCELLED_LATE
from webapp.store.consequences import ended, executed
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.hold import HELD, RENEW, later
from webapp.store.parents import drop, failed
from webapp.store.schema import action

RELEASE_AT_LEAST = 30 * SECOND
"""A released action leaves people at least this long."""
EXTENSIONS = 10
EXTENSIONS_AT_LEAST = 3_600 * SECOND
"""Extensions in all: this, or EXTENSIONS windows if that is more."""
RESERVED_BEYOND = 300 * SECOND
"""A reservation lasts at least this much longer than the time to execute: a late claim finds it."""


def _not_before(time: Any) -> ColumnElement[int]:
    return later(time, func.coalesce(action.c.not_before_at, literal(0, BigInteger())))


_span = param("span", BigInteger())
_later = param("later", BigInteger())


def _outlasting(execute_at: Any) -> ColumnElement[int]:
    """A reservation that was taken outlives the new time."""
    return case(
        (
            action.c.reserved_until.is_not(None),
            later(action.c.reserved_until, execute_at + RESERVED_BEYOND),
        ),
        else_=None,
    )


_CANCEL = Arrow("cancelled", CANCELLED)
_LATE_CANCEL = Arrow("cancel_too_late", CANCELLED_LATE)
_approved = _not_before(NOW + _span + action.c.margin)
_APPROVE = Arrow(
    "approved",
    asked(
        State.AWAITING_APPROVAL,
        state=State.SCHEDULED,
        window=_span,
        execute_at=_approved,
        cancel_by=_approved - action.c.margin,
        reserved_until=_outlasting(_approved),
        claimable_at=_approved,
        merge_scope=None,
        unseen=false(),
    ),
)
_REJECT = Arrow("rejected", asked(State.AWAITING_APPROVAL, state=State.REJECTED, finished_at=NOW))
_HOLD = Arrow("held", asked(State.SCHEDULED, **HELD))
_left = func.coalesce(
    param("left", BigInteger()), action.c.held_left, action.c.window + action.c.margin
)
_released = _not_before(NOW + later(_left, literal(RELEASE_AT_LEAST, BigInteger())))
_RELEASE = Arrow(
    "released",
    asked(
        State.HELD,
        state=State.SCHEDULED,
        held_left=None,
        execute_at=_released,
        cancel_by=_released - action.c.margin,
        reserved_until=_outlasting(_released),
        claimable_at=_released,
        unseen=false(),
    ),
)
_EXTEND = Arrow(
    "extended",
    owned(
        State.SCHEDULED,
        execute_at=action.c.execute_at + _later,
        cancel_by=action.c.cancel_by + _later,
        claimable_at=later(action.c.claimable_at, action.c.execute_at + _later),
        extended=action.c.extended + _span,
        **RENEW,
    ).where(
        action.c.extended + _span
        <= later(action.c.window * EXTENSIONS, literal(EXTENSIONS_AT_LEAST, BigInteger()))
    ),
)
_RUN_NOW = Arrow(
    "run_now",
    owned(
        State.SCHEDULED,
        execute_at=NOW,
        claimable_at=NOW,
        cancel_by=case((action.c.cancel_by < NOW, action.c.cancel_by), else_=NOW),
        first_viewed_at=func.coalesce(action.c.first_viewed_at, NOW),
        merge_scope=None,
        unseen=false(),
    ),
)
_HAPPENED = Arrow(
    "resolved",
    asked(State.UNKNOWN, state=State.EXECUTED, finished_at=NOW, effect=param("effect")),
)
_DID_NOT = Arrow(
    "resolved",
    asked(State.UNKNOWN, state=State.FAILED, finished_at=NOW).where(
        action.c.late_cancel_at.is_(None)
    ),
)
_DID_NOT_CANCELLED = Arrow(
    "resolved",
    asked(
        State.UNKNOWN,
        state=State.CANCELLED,
        finished_at=NOW,
        cancelled_at=NOW,
        cancelled_by=action.c.late_cancel_by,
        cancel_reason=action.c.late_cancel_reason,
    ).where(action.c.late_cancel_at.is_not(None)),
)


def _data(asker: Asker, **more: Any) -> str:
    return json.dumps({"reason": asker.reason, **more} if asker.reason else more)


def cancel(tx: Tx, action_id: str, asker: Asker, key: str) -> tuple[AnyRow, list[str]] | None:
    """scheduled, held, awaiting_approval -> cancelled, with all descendants (second item)."""
    row = _CANCEL.run(tx, asker.values(action_id, key=key), asker.actor, _data(asker))
    if row is None:
        return None
    tx.does("cancel")
    return row, ended(tx, row, asker.actor)


def record_late_cancel(
    tx: Tx, action_id: str, asker: Asker, data: dict[str, Any], key: str
) -> AnyRow | None:
    """A cancel that lost is kept: while executing it wins if the attempt had no effect."""
    return _LATE_CANCEL.run(tx, asker.values(action_id), asker.actor, _data(asker, **data), key)


def note_late_cancel(tx: Tx, found: Action, asker: Asker, data: dict[str, Any], key: str) -> None:
    """A further cancel that lost: the row names the first, the event every one."""
    record(tx, Unmoved(found), "cancel_too_late", asker.actor, _data(asker, **data), key)


def approve(tx: Tx, action_id: str, asker: Asker, window: int) -> AnyRow | None:
    """awaiting_approval -> scheduled, with `window` from now, as free as `release` makes it."""
    return _free(_APPROVE, tx, action_id, asker, span=window)


def reject(tx: Tx, action_id: str, asker: Asker) -> AnyRow | None:
    """awaiting_approval -> rejected, cancelling all descendants."""
    row = _run(_REJECT, tx, action_id, asker)
    if row is not None:
        ended(tx, row, asker.actor)
    return row


def hold(tx: Tx, action_id: str, asker: Asker, reserve: int) -> AnyRow | None:
    """scheduled -> held: the clock stops. `reserve` renews a reservation."""
    return _run(_HOLD, tx, action_id, asker, reserve=reserve)


def release(tx: Tx, action_id: str, asker: Asker, left: int | None = None) -> AnyRow | None:
    """held -> scheduled with the time that was left, at least RELEASE_AT_LEAST.

    `left` where that is not what the row says, because only desk hours count. It no longer waits
    for what has failed; the event says which those were.
    """
    return _free(_RELEASE, tx, action_id, asker, left=left)


def extend(
    tx: Tx, action_id: str, asker: Asker, span: int, reserve: int, takes: int | None = None
) -> AnyRow | None:
    """scheduled -> scheduled, `span` later; None also when the limit is reached.

    `takes` where it is longer until that much has passed, because only desk hours count.
    """
    said, moved = {"seconds": span // SECOND}, span if takes is None else takes
    return _run(_EXTEND, tx, action_id, asker, said, span=span, reserve=reserve, later=moved)


def run_now(tx: Tx, action_id: str, asker: Asker) -> AnyRow | None:
    """scheduled -> scheduled, due now; counts as seen."""
    return _due(tx, _run(_RUN_NOW, tx, action_id, asker))


def resolve_happened(tx: Tx, action_id: str, asker: Asker, effect: str) -> AnyRow | None:
    """unknown -> executed, by a person's word. `effect` is JSON."""
    row = _run(_HAPPENED, tx, action_id, asker, {"outcome": "happened"}, effect=effect)
    if row is not None:
        executed(tx, row, asker.actor)
    return row


def resolve_did_not_happen(tx: Tx, action_id: str, asker: Asker) -> AnyRow | None:
    """unknown -> failed, or cancelled where a cancel was recorded."""
    said = {"outcome": "did_not_happen"}
    row = _run(_DID_NOT, tx, action_id, asker, said) or _run(
        _DID_NOT_CANCELLED, tx, action_id, asker, said
    )
    if row is not None:
        ended(tx, row, asker.actor)
    return row


def _run(
    arrow: Arrow,
    tx: Tx,
    action_id: str,
    asker: Asker,
    said: dict[str, Any] | None = None,
    **more: Any,
) -> AnyRow | None:
    values = asker.values(action_id, **more)
    return arrow.run(tx, values, asker.actor, _data(asker, **(said or {})), asker.request)


def _free(arrow: Arrow, tx: Tx, action_id: str, asker: Asker, **more: Any) -> AnyRow | None:
    # Locked first: a parent that fails at this moment is seen here, or finds the row let go.
    lock(tx, action_id)
    gone = failed(tx, action_id)
    said = {"dropped": gone} if gone else {}
    row = _run(arrow, tx, action_id, asker, said, **more)
    if row is not None and gone:
        drop(tx, action_id, gone)
    return _due(tx, row)


def _due(tx: Tx, row: AnyRow | None) -> AnyRow | None:
    if row is not None:
        tx.brings(row.execute_at)
    return row
