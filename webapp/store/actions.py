"""Reading actions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, String, Table, and_, bindparam, or_, select, union_all

from webapp.domain.action import Action
from webapp.domain.states import RAN_OUT, State
from webapp.store.columns import word
from webapp.store.engine import AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of, joined
from webapp.store.schema import action, dependency, part

_NOT_SHOWN = {
    *("customer_ref", "draft_key", "draft_hash", "cancel_key", "renewals"),
    *("merge_key", "merge_scope", "payload_version"),
    *("overdue_after", "look_at", "unseen"),
}
_SHOWN = [column for column in action.c if column.name not in _NOT_SHOWN]
_FIELDS = tuple(column.name for column in _SHOWN)
_JSON = ("payload", "customer", "decision", "effect", "error")
_ID = bindparam("b_id", type_=String())
_LOCK = select(action.c.id).where(action.c.id == bindparam("b_id")).with_for_update()
_BY_IDS = Hot(select(*_SHOWN).where(among(action.c.id)))
_PARENTS_OF = select(
    dependency.c.child.label("of"), dependency.c.parent.label("id"), word("parent").label("link")
)
_REPAIRS_OF = select(
    action.c.compensates.label("of"), action.c.id.label("id"), word("repair").label("link")
)
_LINKS = Hot(
    union_all(
        _PARENTS_OF.where(among(dependency.c.child)),
        _REPAIRS_OF.where(action.c.compensates.is_not(None), among(action.c.compensates)),
    )
)
_repair = action.alias("repair")
_ONE = Hot(
    select(
        *_SHOWN,
        select(joined(dependency.c.parent))
        .where(dependency.c.child == _ID)
        .scalar_subquery()
        .label("parents"),
        select(joined(_repair.c.id))
        .where(_repair.c.compensates == _ID)
        .scalar_subquery()
        .label("repairs"),
    ).where(action.c.id == _ID)
)
"""An action with its links in one round trip."""
_BY_KEY = select(*_SHOWN, action.c.draft_hash).where(
    action.c.agent == bindparam("b_agent"), action.c.draft_key == bindparam("b_key")
)
_BY_JOINED_KEY = (
    select(*_SHOWN, part.c.draft_hash)
    .join(part, part.c.action == action.c.id)
    .where(part.c.agent == bindparam("b_agent"), part.c.draft_key == bindparam("b_key"))
)
_BY_PART = (
    select(*_SHOWN)
    .join(part, part.c.action == action.c.id)
    .where(part.c.id == bindparam("b_id"), part.c.number > 1)
)


def _drafted(table: Table) -> Select[Any]:
    """A row of this id, or of this agent under this key."""
    return select(table.c.id).where(
        or_(
            table.c.id == bindparam("b_id", type_=String()),
            and_(
                table.c.agent == bindparam("b_agent", type_=String()),
                table.c.draft_key == bindparam("b_key", type_=String()),
            ),
        )
    )


_EXISTS = union_all(_drafted(action), _drafted(part))
_CANCEL_KEY = select(action.c.cancel_key).where(action.c.id == bindparam("b_id"))
_LIVE_REPAIR = select(action.c.id).where(
    action.c.compensates == bindparam("b_original"),
    action.c.kind == bindparam("b_kind"),
    action.c.state.not_in(RAN_OUT),
)
_LIVE_AGAIN = select(action.c.id).where(
    action.c.again_of == bindparam("b_original"), action.c.state.not_in(RAN_OUT)
)


def get(tx: Tx, action_id: str, *, agent: str | None = None) -> Action | None:
    """One action with its links; None where there is none, or it is not `agent`'s."""
    row = _ONE.first(tx, {"b_id": action_id})
    if row is None or (agent is not None and row.agent != agent):
        return None
    return _action(row, (row.parents or "").split(","), (row.repairs or "").split(","))


def lock(tx: Tx, action_id: str) -> None:
    """Until the end of the transaction nobody else moves it: what is read then stays true."""
    tx.conn.execute(_LOCK, {"b_id": action_id})


def exists(tx: Tx, action_id: str, agent: str, key: str | None) -> bool:
    """Whether there is a draft of this id, or of this agent under this key, joined ones too."""
    found = tx.conn.execute(_EXISTS, {"b_id": action_id, "b_agent": agent, "b_key": key})
    return found.first() is not None


def as_inserted(values: Mapping[str, Any]) -> Action:
    """What `get` would read of a row that was just inserted with `values`."""
    given = {**_UNTOUCHED, **values}
    return _action([given[name] for name in _FIELDS], (), ())


def many(tx: Tx, ids: Iterable[str]) -> dict[str, Action]:
    """Those of `ids` that exist, by id."""
    wanted = list(ids)
    if not wanted:
        return {}
    rows = _BY_IDS.all(tx, ids_of(tx, wanted))
    return {found.id: found for found in _with_links(tx, rows)}


def by_draft_key(tx: Tx, agent: str, key: str) -> tuple[Action, str] | None:
    """The action that `agent` drafted or joined under `key`, and the hash of that body."""
    asked = {"b_agent": agent, "b_key": key}
    row = tx.conn.execute(_BY_KEY, asked).first() or tx.conn.execute(_BY_JOINED_KEY, asked).first()
    return None if row is None else (_with_links(tx, [row])[0], row.draft_hash)


def joined_by(tx: Tx, draft_id: str) -> Action | None:
    """The action that this draft joined, if it did."""
    row = tx.conn.execute(_BY_PART, {"b_id": draft_id}).first()
    return None if row is None else _with_links(tx, [row])[0]


def cancel_key(tx: Tx, action_id: str) -> str | None:
    """The key of the request whose cancel won."""
    return tx.conn.scalar(_CANCEL_KEY, {"b_id": action_id})


def live_repair(tx: Tx, original: str, kind: str) -> str | None:
    """The compensation of `original` that has not ended without effect, if there is one."""
    return tx.conn.scalar(_LIVE_REPAIR, {"b_original": original, "b_kind": kind})


def live_again(tx: Tx, original: str) -> str | None:
    """The action that repeats `original` and has not ended without effect, if there is one."""
    return tx.conn.scalar(_LIVE_AGAIN, {"b_original": original})


def newest(
    tx: Tx,
    *,
    limit: int,
    before: str | None = None,
    **equal: str | None,
) -> list[Action]:
    """Newest drafted first, from below the id `before`; `equal` filters by column, None: any."""
    query: Select[Any] = select(*_SHOWN).order_by(action.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(action.c.id < before)
    for name, value in equal.items():
        if value is not None:
            query = query.where(action.c[name] == value)
    return _with_links(tx, tx.conn.execute(query).all())


def _with_links(tx: Tx, rows: Sequence[AnyRow]) -> list[Action]:
    if not rows:
        return []
    links: dict[tuple[str, str], list[str]] = defaultdict(list)
    for link in _LINKS.all(tx, ids_of(tx, [row.id for row in rows])):
        links[link.link, link.of].append(link.id)
    return [_action(row, links["parent", row.id], links["repair", row.id]) for row in rows]


def _action(row: Sequence[Any], parents: Iterable[str], repairs: Iterable[str]) -> Action:
    """`row` begins with the columns of _FIELDS, in their order; an empty link is none."""
    values = dict(zip(_FIELDS, row, strict=False))
    for name in _JSON:
        if values[name] is not None:
            values[name] = json.loads(values[name])
    values["has_dependants"] = bool(values["has_dependants"])  # SQLite has numbers for it
    values["state"] = State(values["state"])
    values["previous_state"] = values["previous_state"] and State(values["previous_state"])
    return Action(
        **values,
        depends_on=tuple(sorted(filter(None, parents))),
        compensated_by=tuple(sorted(filter(None, repairs))),
    )


_UNTOUCHED: dict[str, Any] = dict.fromkeys(_FIELDS) | {
    "version": 1,
    "extended": 0,
    "blockers": 0,
    "attempt": 0,
    "has_dependants": False,
    "link": 0,
    "merges": 0,
}
