"""What a hold writes: the clock stops, and a reservation is renewed."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, case, null

from webapp.domain.states import State
from webapp.store.arrow import param
from webapp.store.engine import NOW
from webapp.store.schema import action

RENEWALS = 3
"""How often a hold or an extension may renew a reservation."""


def later(one: Any, other: Any) -> ColumnElement[int]:
    """The later of two times."""
    # Differs because SQLite's two-argument max() is PostgreSQL's greatest().
    return case((one > other, one), else_=other)


_renewable = action.c.reserved_until.is_not(None) & (action.c.renewals < RENEWALS)
RENEW: dict[str, Any] = {
    "reserved_until": case(
        (_renewable, later(action.c.reserved_until, NOW + param("reserve", BigInteger()))),
        else_=action.c.reserved_until,
    ),
    "renewals": case((_renewable, action.c.renewals + 1), else_=action.c.renewals),
}
"""With `:p_reserve`, microseconds."""
HELD: dict[str, Any] = {
    "state": State.HELD,
    "held_left": action.c.execute_at - NOW,
    "execute_at": null(),
    "cancel_by": null(),
    **RENEW,
}
