"""Who had which version of a row on screen."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Integer, String, and_, bindparam, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from webapp.domain.states import State
from webapp.store.engine import NOW, Tx
from webapp.store.people_schema import person
from webapp.store.schema import action, view


def _insert(dialect: Any) -> Any:
    # Only a version that the row has had; the first view of each version is kept.
    seen = select(
        action.c.id,
        bindparam("b_person", type_=Integer()),
        bindparam("b_version", type_=Integer()),
        NOW.label("at"),
    ).where(
        action.c.id == bindparam("b_action", type_=String()),
        action.c.version >= bindparam("b_version", type_=Integer()),
    )
    columns = ["action", "person_id", "version", "at"]
    return dialect.insert(view).from_select(columns, seen).on_conflict_do_nothing()


_claimable = and_(
    action.c.state == State.SCHEDULED.value, action.c.blockers == 0, action.c.execute_at <= NOW
)
_INSERT = {"postgresql": _insert(postgresql), "sqlite": _insert(sqlite)}
_FIRST = (
    update(action)
    .where(
        action.c.id == bindparam("b_action", type_=String()),
        action.c.version >= bindparam("b_version", type_=Integer()),
        # Who saw it before another draft joined has not seen what it says now (promise 13).
        action.c.payload_version <= bindparam("b_version", type_=Integer()),
        or_(action.c.first_viewed_at.is_(None), action.c.unseen),
    )
    .values(
        first_viewed_at=func.coalesce(action.c.first_viewed_at, NOW),
        # Nor may it run the moment somebody looks: once the claim has refused it, it is held.
        unseen=and_(action.c.unseen, _claimable),
    )
)


class Look(NamedTuple):
    """When somebody first had a version on screen; `actor` as events name people."""

    actor: str
    version: int
    at: int


_OF = (
    select(person.c.email, view.c.version, view.c.at)
    .join(person, person.c.id == view.c.person_id)
    .where(view.c.action == bindparam("b_action", type_=String()))
    .order_by(view.c.at)
)


def of(tx: Tx, action_id: str) -> list[Look]:
    """Who had it on screen, the first first."""
    rows = tx.conn.execute(_OF, {"b_action": action_id})
    return [Look(f"staff:{row.email}", row.version, row.at) for row in rows]


def record(tx: Tx, person_id: int, seen: Iterable[tuple[str, int]]) -> None:
    """`seen`: pairs of action id and version. Unknown ones are passed over."""
    for action_id, version in sorted(seen):
        if not 1 <= version < 2**31:
            continue
        params = {"b_action": action_id, "b_version": version, "b_person": person_id}
        tx.conn.execute(_INSERT[tx.dialect], tx.params(params))
        del params["b_person"]
        tx.conn.execute(_FIRST, tx.params(params))
