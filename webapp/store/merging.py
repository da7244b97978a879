"""The arrow by which a further draft joins a scheduled action: the only one that changes a payload.

Drafts of one key, and those of one scope, take turns: of twenty at once one begins the action, and
no key joins twice. Locks are taken key before scope before row.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Integer,
    String,
    bindparam,
    exists,
    insert,
    null,
    select,
    text,
)

from webapp.domain.merging import WINDOWS
from webapp.domain.states import State
from webapp.store import turns
from webapp.store.arrow import Arrow, guarded, param
from webapp.store.engine import AnyRow, Tx
from webapp.store.schema import action, desk, part


@dataclass(frozen=True, slots=True)
class Part:
    """What one draft of a joined action said. `payload` as it was drafted."""

    action: str
    number: int
    drafted_by: str
    drafted_at: int
    order_ref: str | None
    summary: str
    reason: str
    payload: Mapping[str, Any]


_SCOPE = ("kind", "agent", "customer_ref", "merge_key", "merge_scope")
# Values, not only their hash: one customer's text must never reach another.
_same = [action.c[name] == param(name, action.c[name].type) for name in _SCOPE]
_open = (action.c.attempt == 0, action.c.merges < WINDOWS - 1)
_TARGET = (
    select(action)
    # A text, so that a prepared statement matches the partial index's predicate.
    .where(text("action.state = 'scheduled'"), *_open, *_same)
    .order_by(action.c.id.desc())
    .limit(1)
    .with_for_update()
)
_MERGE = Arrow(
    "merged",
    guarded(
        State.SCHEDULED,
        payload=param("payload"),
        payload_hash=param("payload_hash", String()),
        payload_version=action.c.version + 1,
        merges=action.c.merges + 1,
        first_viewed_at=null(),
        unseen=param("unseen", Boolean()),
        decision=param("decision"),
        not_before_at=param("not_before_at", BigInteger()),
        window=param("window", BigInteger()),
        margin=param("margin", BigInteger()),
        cancel_by=param("cancel_by", BigInteger()),
        execute_at=param("execute_at", BigInteger()),
        claimable_at=param("execute_at", BigInteger()),
    ).where(
        action.c.version == param("seen", Integer()),
        action.c.payload_hash == param("before", String()),
        *_open,
        *_same,
        exists().where(desk.c.revision == param("revision", BigInteger())),
    ),
)
_PARTS = (
    select(*(part.c[name] for name in Part.__dataclass_fields__))
    .where(part.c.action.in_(bindparam("ids", expanding=True)))
    .order_by(part.c.action, part.c.number)
)
_KEPT = (
    *("id", "agent", "draft_key", "draft_hash", "drafted_by", "drafted_at", "order_ref"),
    *("summary", "reason", "payload"),
)


def take_turns(tx: Tx, values: Mapping[str, Any]) -> None:
    """Wait for other drafts of this key or scope, until the end of the transaction."""
    key, agent = values["draft_key"], values["agent"]
    names = [f"key {agent} {key}"] if key is not None else []
    turns.take_turns(tx, *names, f"scope {values['merge_scope']}")


def target(tx: Tx, values: Mapping[str, Any]) -> AnyRow | None:
    """The newest scheduled row that is not full in the scope of a draft of `values`, locked.

    Never one that was sent before: a provider knows its key by the payload of then.
    """
    return tx.conn.execute(_TARGET, {f"p_{name}": values[name] for name in _SCOPE}).first()


def merge(
    tx: Tx, found: AnyRow, values: Mapping[str, Any], becomes: Mapping[str, Any], revision: int
) -> bool:
    """scheduled -> scheduled: the draft of `values` joins `found`, which `becomes` new values.

    Payload, version, views and times change in one conditional write, with its event and what
    either draft said. False: the row is not what was found, or the policy table not that of
    `revision`.
    """
    given = {name: values[name] for name in _SCOPE} | dict(becomes)
    given |= {"id": found.id, "seen": found.version, "before": found.payload_hash}
    said = {
        "drafts": found.merges + 2,
        "part": values["id"],
        "payload_hash": becomes["payload_hash"],
        "before": found.payload_hash,
    }
    row = _MERGE.run(tx, given | {"revision": revision}, values["drafted_by"], json.dumps(said))
    if row is None:
        return False
    if not found.merges:
        _keep(tx, found._mapping, found.id, 1, key=None)
    _keep(tx, values, found.id, found.merges + 2, key=values["draft_key"])
    tx.brings(row.execute_at)
    return True


def parts(tx: Tx, ids: Iterable[str]) -> dict[str, list[Part]]:
    """What each draft of these actions said, in order of arrival; none where nothing joined."""
    found: dict[str, list[Part]] = defaultdict(list)
    wanted = list(ids)
    if wanted:
        for row in tx.conn.execute(_PARTS, {"ids": wanted}):
            one = dict(row._mapping)
            found[row.action].append(Part(**one | {"payload": json.loads(row.payload)}))
    return found


def _keep(tx: Tx, said: Mapping[str, Any], into: str, number: int, *, key: str | None) -> None:
    kept = {name: said[name] for name in _KEPT} | {"draft_key": key}
    tx.conn.execute(insert(part).values(kept | {"action": into, "number": number}))
