"""What a cancel would stop besides the action itself: its live dependants, to any depth.

The same walk as the cascade's: it ends at what runs or is over, and what stands below that lives.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, bindparam, literal_column, select

from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import CANCELLABLE, State
from webapp.store.columns import word
from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of
from webapp.store.schema import action, dependency

ANY_DEPTH = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Dependant:
    """A live action that depends on another, as far as a list names it."""

    id: str
    kind: str
    state: State
    summary: str

    @property
    def of(self) -> Kind:
        """Its kind's description."""
        return KINDS[self.kind]


_first: Any = literal_column("1", Integer())
_levels: Any = bindparam("b_levels", type_=Integer())
_live = action.c.state.in_(list(map(word, sorted(CANCELLABLE))))


def _below() -> Any:
    """Each edge once a level, whatever the number of ways to it: UNION leaves out the repeated."""
    child = action.c.id == dependency.c.child
    found = (
        select(dependency.c.parent, dependency.c.child, _first.label("level"))
        .join(action, child)
        .where(among(dependency.c.parent), _live)
        .cte("below", recursive=True)
    )
    further = (
        select(dependency.c.parent, dependency.c.child, found.c.level + 1)
        .join(found, found.c.child == dependency.c.parent)
        .join(action, child)
        .where(found.c.level < _levels, _live)
    )
    edges = found.union(further)
    return (
        select(edges.c.parent, action.c.id, action.c.kind, action.c.state, action.c.summary)
        .join(action, action.c.id == edges.c.child)
        .distinct()
        .order_by(action.c.id)
    )


def _above() -> Any:
    """From each of the ids up, through live actions."""
    parent = action.c.id == dependency.c.parent
    found = (
        select(dependency.c.child.label("of"), dependency.c.parent, _first.label("level"))
        .join(action, parent)
        .where(among(dependency.c.child), _live)
        .cte("above", recursive=True)
    )
    further = (
        select(found.c.of, dependency.c.parent, found.c.level + 1)
        .join(found, found.c.parent == dependency.c.child)
        .join(action, parent)
        .where(found.c.level < _levels, _live)
    )
    edges = found.union(further)
    return select(edges.c.of, edges.c.parent).distinct().order_by(edges.c.of, edges.c.parent)


BELOW, ABOVE = Hot(_below()), Hot(_above())


def stopped_with(tx: Tx, ids: Iterable[str], levels: int = ANY_DEPTH) -> dict[str, list[Dependant]]:
    """By id, what its cancel would take along, nearest first; in one query for all of them.

    With `levels` a list is whole only up to so many steps away.
    """
    roots = list(ids)
    children: dict[str, list[Dependant]] = defaultdict(list)
    if roots:
        for row in BELOW.all(tx, ids_of(tx, roots) | {"b_levels": levels}):
            one = Dependant(row.id, row.kind, State(row.state), row.summary)
            children[row.parent].append(one)
    return {root: list(_walk(root, children, levels).values()) for root in roots}


def above(tx: Tx, ids: Iterable[str], levels: int = ANY_DEPTH) -> dict[str, list[str]]:
    """By id, the live actions whose cancel would stop it, or would have before it moved."""
    found: dict[str, list[str]] = defaultdict(list)
    wanted = list(ids)
    if wanted:
        for row in ABOVE.all(tx, ids_of(tx, wanted) | {"b_levels": levels}):
            found[row.of].append(row.parent)
    return found


def _walk(root: str, children: dict[str, list[Dependant]], levels: int) -> dict[str, Dependant]:
    found: dict[str, Dependant] = {}
    level = [root]
    while level and levels:
        levels -= 1
        near = [child for one in level for child in children.get(one, ())]
        level = []
        for child in sorted(near, key=lambda one: one.id):
            if child.id not in found:
                found[child.id] = child
                level.append(child.id)
    return found
