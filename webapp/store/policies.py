"""The policy table and the flags that it reads, with the revision that guards drafts."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from webapp.store.engine import NOW, Tx
from webapp.store.schema import customer_flag, desk, policy, policy_change


@dataclass(frozen=True, slots=True)
class Table:
    """What was in force at `revision`: bodies by kind, and the flagged customers."""

    revision: int
    bodies: dict[str, dict[str, Any]]
    flagged: frozenset[str]


@dataclass(frozen=True, slots=True)
class Flag:
    """A flagged customer."""

    ref: str
    reason: str
    flagged_by: str
    flagged_at: int


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a kind's row; `before` is None where the default held."""

    id: int
    kind: str
    before: dict[str, Any] | None
    after: dict[str, Any]
    changed_by: str
    changed_at: int
    restores: int | None


_REVISION = select(desk.c.revision)
_BUMP = update(desk).values(revision=desk.c.revision + 1).returning(desk.c.revision)
_POLICIES = select(policy.c.kind, policy.c.body)
_FLAGGED = select(customer_flag.c.ref)
_FLAGS = select(customer_flag).order_by(customer_flag.c.ref)
_CHANGES = (
    select(
        policy_change,
        func.lag(policy_change.c.body)
        .over(partition_by=policy_change.c.kind, order_by=policy_change.c.id)
        .label("before"),
    )
    .order_by(policy_change.c.id.desc())
    .limit(bindparam("b_limit"))
)
_OF_KIND = _CHANGES.where(policy_change.c.kind == bindparam("b_kind"))
_VERSION = select(policy_change.c.body).where(
    policy_change.c.id == bindparam("b_id"), policy_change.c.kind == bindparam("b_kind")
)
_REPLACE = (
    update(policy)
    .where(policy.c.kind == bindparam("b_kind"))
    .values(body=bindparam("b_body"), changed_by=bindparam("b_by"), changed_at=NOW)
    .returning(policy.c.kind)
)


def read(tx: Tx) -> Table:
    """The table as it stands; the revision is read first, so that it is never too new."""
    revision = tx.conn.scalar(_REVISION) or 0
    bodies = {row.kind: json.loads(row.body) for row in tx.conn.execute(_POLICIES)}
    return Table(revision, bodies, frozenset(tx.conn.scalars(_FLAGGED)))


def write(tx: Tx, kind: str, body: dict[str, Any], by: str, restores: int | None = None) -> None:
    """Put `kind`'s row, keep who changed it when, and make older decisions stale.

    `restores`: the change whose row this is again; 0 for the defaults.
    """
    tx.conn.execute(_BUMP)
    text = json.dumps(body)
    replaced = tx.conn.execute(_REPLACE, tx.params({"b_kind": kind, "b_body": text, "b_by": by}))
    values = {"kind": kind, "body": text, "changed_by": by, "changed_at": tx.now()}
    if replaced.first() is None:
        tx.conn.execute(insert(policy).values(values))
    tx.conn.execute(insert(policy_change).values(values | {"restores": restores}))


def version(tx: Tx, kind: str, number: int) -> dict[str, Any] | None:
    """The row of `kind` as change `number` left it."""
    body = tx.conn.scalar(_VERSION, {"b_id": number, "b_kind": kind})
    return None if body is None else dict(json.loads(body))


def changes(tx: Tx, limit: int, kind: str | None = None) -> list[Change]:
    """Who changed what, newest first; of one kind, or all."""
    narrowed = {} if kind is None else {"b_kind": kind}
    found = tx.conn.execute(_CHANGES if kind is None else _OF_KIND, narrowed | {"b_limit": limit})
    return [
        Change(
            row.id,
            row.kind,
            None if row.before is None else json.loads(row.before),
            json.loads(row.body),
            row.changed_by,
            row.changed_at,
            row.restores,
        )
        for row in found
    ]


def flag(tx: Tx, ref: str, reason: str, by: str) -> None:
    """Flag a customer; again replaces the reason."""
    unflag(tx, ref)
    tx.conn.execute(
        insert(customer_flag).values(ref=ref, reason=reason, flagged_by=by, flagged_at=tx.now())
    )


def unflag(tx: Tx, ref: str) -> bool:
    """Take the flag away; False when there was none."""
    tx.conn.execute(_BUMP)
    gone = delete(customer_flag).where(customer_flag.c.ref == ref).returning(customer_flag.c.ref)
    return tx.conn.execute(gone).first() is not None


def flags(tx: Tx) -> list[Flag]:
    """All flagged customers."""
    return [Flag(**row._mapping) for row in tx.conn.execute(_FLAGS)]
