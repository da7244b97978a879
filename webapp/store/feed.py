"""What the feed shows, and what its rows need to know of their neighbours."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import (
    BindParameter,
    Executable,
    Integer,
    and_,
    bindparam,
    or_,
    select,
    text,
    union_all,
)

from webapp.domain.action import Action
from webapp.domain.states import RAN_OUT, TERMINAL, State
from webapp.store.actions import many
from webapp.store.columns import quoted, word
from webapp.store.engine import Tx
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of
from webapp.store.schema import action, dependency

PEOPLE_FIRST = 0.5
"""The share of the page that rows waiting for people may take from those that run by the clock."""

_repair, _again = action.alias("repair"), action.alias("again")
_limit: BindParameter[int] = bindparam("b_limit", type_=Integer())
_repaired = (
    select(_repair.c.id)
    .where(_repair.c.compensates == action.c.id, _repair.c.state.not_in(RAN_OUT))
    .exists()
)
_repeated = (
    select(_again.c.id)
    .where(_again.c.again_of == action.c.id, _again.c.state.not_in(RAN_OUT))
    .exists()
)
# Texts, not parameters: each must match its partial index's predicate, or the feed reads the
# whole table.
_asking = text("action.state IN ('awaiting_approval','held','unknown')")
_unsettled = text("(action.state = 'failed' OR action.late_cancel_at IS NOT NULL)")
_open = text(f"action.state NOT IN ({quoted(TERMINAL)})")
_ASKING = (
    select(action.c.id).where(_asking).order_by(action.c.state.desc(), action.c.id).limit(_limit)
)
_UNSETTLED = (
    select(action.c.id)
    # Without statistics SQLite may take the index of all that has finished.
    .with_hint(action, "INDEXED BY ix_action_unsettled", "sqlite")
    .where(
        _unsettled,
        action.c.finished_at > bindparam("b_since"),
        or_(
            and_(action.c.state == State.FAILED, ~_repeated),
            and_(action.c.state == State.EXECUTED, ~_repaired),
        ),
    )
    .order_by(action.c.finished_at.desc())
    .limit(_limit)
)
_CLOCK = (
    select(action.c.id)
    .where(
        _open,
        action.c.execute_at.is_not(None),
        action.c.state.in_((State.SCHEDULED, State.EXECUTING)),
    )
    .order_by(action.c.execute_at, action.c.id)
    .limit(_limit)
)
_ENDED = (
    select(action.c.id)
    .where(action.c.finished_at > bindparam("b_since"))
    .order_by(action.c.finished_at.desc())
    .limit(_limit)
)
_AROUND = Hot(
    union_all(
        select(
            dependency.c.parent.label("of"),
            action.c.id,
            action.c.kind,
            action.c.state,
            word("child").label("link"),
        )
        .join(action, action.c.id == dependency.c.child)
        .where(among(dependency.c.parent)),
        select(
            action.c.again_of.label("of"),
            action.c.id,
            action.c.kind,
            action.c.state,
            word("again").label("link"),
        ).where(action.c.again_of.is_not(None), among(action.c.again_of)),
    )
)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another action, as far as a row names it."""

    id: str
    kind: str
    state: State


@dataclass(frozen=True, slots=True)
class Around:
    """By action id: who depends on it, and what repeats it."""

    children: dict[str, list[Neighbour]] = field(default_factory=lambda: defaultdict(list))
    again: dict[str, list[Neighbour]] = field(default_factory=lambda: defaultdict(list))


def page(tx: Tx, *, limit: int, unsettled_since: int, ended_since: int) -> list[Action]:
    """At most `limit` rows: what waits for people, then the clock's soonest first, then the ended.

    What failed, and a lost cancel that nobody has taken back, waits for people since
    `unsettled_since`; anything else that ended is shown since `ended_since`.
    """
    ids: dict[str, None] = {}

    def add(query: Executable, most: int, **values: int) -> None:
        if most > 0:
            found = tx.conn.scalars(query, {"b_limit": most, **values})
            ids.update(dict.fromkeys(found))

    people = int(limit * PEOPLE_FIRST)
    add(_ASKING, people)
    add(_UNSETTLED, max(people - len(ids), people // 4), b_since=unsettled_since)
    add(_CLOCK, limit - len(ids))
    add(_ENDED, limit - len(ids), b_since=ended_since)
    rows = many(tx, ids)
    return [rows[one] for one in ids if one in rows]


def around(tx: Tx, ids: Iterable[str]) -> Around:
    """The neighbours of `ids` in one query."""
    found = Around()
    wanted = list(ids)
    if wanted:
        for row in _AROUND.all(tx, ids_of(tx, wanted)):
            side = found.children if row.link == "child" else found.again
            side[row.of].append(Neighbour(row.id, row.kind, State(row.state)))
    return found
