"""What a cancel writes to the row, whoever it came from: in time, and too late."""

from sqlalchemy import String

from webapp.domain.states import CANCELLABLE, TOO_LATE, State
from webapp.store.arrow import asked, owned, param
from webapp.store.engine import NOW
from webapp.store.schema import action

CANCELLED = asked(
    *CANCELLABLE,
    state=State.CANCELLED,
    finished_at=NOW,
    cancelled_at=NOW,
    cancelled_by=param("by"),
    cancel_reason=param("why"),
    cancel_key=param("key", String()),
)
"""scheduled, held, awaiting_approval -> cancelled."""

CANCELLED_LATE = owned(
    *TOO_LATE,
    late_cancel_at=NOW,
    late_cancel_by=param("by"),
    late_cancel_reason=param("why"),
).where(action.c.late_cancel_at.is_(None))
"""executing, executed, unknown -> the same: the first that lost stands on the row."""
