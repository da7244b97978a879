"""How an arrow is run: one conditional write whose returned row says who won, with its event."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import (
    CTE,
    BindParameter,
    Integer,
    Select,
    String,
    Text,
    Update,
    bindparam,
    func,
    insert,
    literal,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.sql import visitors

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.store.columns import word
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.schema import action, event

MOVED = (
    action.c.id,
    action.c.kind,
    action.c.state,
    action.c.previous_state,
    action.c.version,
    action.c.attempt,
    action.c.has_dependants,
    action.c.execute_at,
    action.c.claimed_at,
    action.c.cancelled_at,
    action.c.reserved_until,
    action.c.compensates,
)
"""What every arrow returns of the row that it moved."""


def param(name: str, kind: Any = None) -> Any:
    """A parameter of an arrow; prefixed, because SQLAlchemy reserves the columns' own names."""
    return bindparam(f"p_{name}", type_=kind or Text())


def guarded(*states: State, **values: Any) -> Update:
    """`UPDATE action … WHERE id = :p_id AND state IN states`, raising the version."""
    return (
        update(action)
        .where(action.c.id == param("id", String()), action.c.state.in_(list(map(word, states))))
        .values(previous_state=action.c.state, version=action.c.version + 1, **values)
    )


def owned(*states: State, **values: Any) -> Update:
    """`guarded`, also by what the asker saw and owns: `:p_seen` and `:p_owner`, null for any."""
    seen, owner = param("seen", Integer()), param("owner", String())
    return guarded(*states, **values).where(
        or_(seen.is_(None), action.c.version == seen),
        or_(owner.is_(None), action.c.agent == owner),
    )


def asked(*states: State, **values: Any) -> Update:
    """`owned`, and the row says who brought it to its state, and why."""
    return owned(*states, state_by=param("by"), state_reason=param("why"), **values)


class Arrow:
    """One arrow's statements. `verb` names it in the event."""

    def __init__(self, verb: str, write: Update) -> None:
        self._verb = verb
        self._takes = _parameters(write)
        self._update = Hot(write.returning(*MOVED))
        self._together = Hot(_with_event(verb, write))

    def run(
        self,
        tx: Tx,
        values: Mapping[str, Any],
        actor: str,
        data: str = "{}",
        request_key: str | None = None,
    ) -> AnyRow | None:
        """The moved row, or None: someone moved it first. `data` is the event's JSON.

        `values` may hold more than this arrow takes.
        """
        given = {f"p_{name}": value for name, value in values.items()}
        params = tx.params({name: given[name] for name in self._takes})
        if tx.dialect == "postgresql":
            # Differs because PostgreSQL saves a round trip with both writes in one statement.
            logged = {"p_actor": actor, "p_data": data, "p_request_key": request_key}
            return self._together.first(tx, params | logged)
        row = self._update.first(tx, params)
        if row is not None:
            record(tx, row, self._verb, actor, data, request_key)
        return row


class Unmoved:
    """An action for an event that moves nothing."""

    def __init__(self, found: Action) -> None:
        self.id, self.kind = found.id, found.kind
        self.state = self.previous_state = found.state


def record(
    tx: Tx, row: Any, verb: str, actor: str, data: str = "{}", request_key: str | None = None
) -> None:
    """The event of something that happened to `row`: its id, kind, previous_state and state."""
    move = (row.id, row.kind, verb, row.previous_state, row.state, data)
    _record_one(tx, move, actor, request_key)


def record_many(
    tx: Tx, happened: Iterable[tuple[Any, str, str]], actor: str, request_key: str | None = None
) -> None:
    """`record` for several: each row with its verb and its data."""
    moves = [
        (row.id, row.kind, verb, row.previous_state, row.state, data)
        for row, verb, data in happened
    ]
    if len(moves) == 1:
        _record_one(tx, moves[0], actor, request_key)
    elif tx.dialect == "sqlite":
        together = {"rows": json.dumps(moves), "actor": actor, "request_key": request_key}
        _RECORD_SQLITE.go(tx, tx.params(together))
    else:
        shared = {"actor": actor, "request_key": request_key}
        tx.conn.execute(_RECORD, [dict(zip(_MOVE, move, strict=True)) | shared for move in moves])


def _record_one(tx: Tx, move: tuple[Any, ...], actor: str, request_key: str | None) -> None:
    said = dict(zip(_MOVE, move, strict=True))
    _RECORD_ONE.go(tx, tx.params(said | {"actor": actor, "request_key": request_key}))


_MOVE = ("action", "kind", "verb", "from_state", "to_state", "data")


def _record_sqlite() -> Any:
    """Differs because with SQLite the cost is a parameter set in Python: one JSON text is cheap."""
    each = func.json_each(bindparam("rows", type_=Text())).table_valued("value")
    values = [
        func.json_extract(each.c.value, literal_column(f"'$[{place}]'"))
        for place in range(len(_MOVE))
    ]
    shared = (NOW, bindparam("actor", type_=String()), bindparam("request_key", type_=String()))
    columns = [*_MOVE, "at", "actor", "request_key"]
    return insert(event).from_select(columns, select(*values, *shared), include_defaults=False)


_RECORD = insert(event).values(
    {name: bindparam(name) for name in (*_MOVE, "actor", "request_key")} | {"at": NOW}
)
_RECORD_ONE = Hot(_RECORD.inline())
_RECORD_SQLITE = Hot(_record_sqlite())


def _parameters(write: Update) -> frozenset[str]:
    found = (node for node in visitors.iterate(write) if isinstance(node, BindParameter))
    return frozenset(node.key for node in found if node.key.startswith("p_"))


def _with_event(verb: str, write: Update) -> Select[Any]:
    moved = write.returning(*MOVED).cte("moved")
    logged = log_moved(moved.c, literal(verb, String()), param("data"), param("request_key"))
    return select(moved).add_cte(logged)


def log_moved(moved: Any, verb: Any, data: Any, request_key: Any) -> CTE:
    """PostgreSQL: one event for each row of the CTE `moved`, by `:p_actor`."""
    columns = ["action", "kind", "verb", "from_state", "to_state", "at", "actor", "data"]
    events = select(
        moved.id,
        moved.kind,
        verb.label("verb"),
        moved.previous_state,
        moved.state,
        NOW.label("at"),
        param("actor").label("actor"),
        data.label("data"),
        request_key.label("request_key"),
    )
    return insert(event).from_select([*columns, "request_key"], events).cte("logged")
