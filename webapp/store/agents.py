"""Agents and their tokens, of which only hashes are kept."""

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import String, bindparam, func, insert, select, update

from webapp.store.engine import NOW, Tx
from webapp.store.hot import Hot
from webapp.store.people_schema import agent

SCOPES = ("draft", "read", "cancel", "signal")


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that drafts. `scopes` is a subset of SCOPES."""

    name: str
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """An agent as it is listed. Times in UTC microseconds."""

    name: str
    scopes: tuple[str, ...]
    created_at: int
    revoked_at: int | None
    token_at: int
    """When its token was made."""


_BY_TOKEN = Hot(
    select(agent.c.name, agent.c.scopes).where(
        agent.c.token_hash == bindparam("b_hash", type_=String()), agent.c.revoked_at.is_(None)
    )
)
_token_at = func.coalesce(agent.c.token_at, agent.c.created_at)
_KNOWN = select(
    agent.c.name,
    agent.c.scopes,
    agent.c.created_at,
    agent.c.revoked_at,
    _token_at.label("token_at"),
).order_by(agent.c.name)
_LIVE = (
    update(agent)
    .where(agent.c.name == bindparam("b_name"), agent.c.revoked_at.is_(None))
    .returning(agent.c.name)
)
_REVOKE = _LIVE.values(revoked_at=NOW)
_RESCOPE = _LIVE.values(scopes=bindparam("b_scopes"))
_ROTATE = _LIVE.where(_token_at == bindparam("b_seen")).values(
    token_hash=bindparam("b_hash"), token_at=NOW
)


def add(tx: Tx, name: str, scopes: frozenset[str]) -> str | None:
    """A new agent's token, shown this once; None where the name is taken.

    256 random bits need no slow hash: nobody guesses them from a SHA-256.
    """
    token = new_token()
    values = {
        "name": name,
        "scopes": _scopes(scopes),
        "token_hash": _hash(token),
        "created_at": tx.now(),
    }
    if tx.conn.scalar(select(agent.c.name).where(agent.c.name == name)):
        return None
    tx.conn.execute(insert(agent).values(values))
    return token


def by_token(tx: Tx, token: str) -> Agent | None:
    """The agent that holds `token`, unless it was revoked."""
    row = _BY_TOKEN.first(tx, {"b_hash": _hash(token)})
    return None if row is None else Agent(row.name, frozenset(row.scopes.split(",")))


def revoke(tx: Tx, name: str) -> bool:
    """End a token; False where there is no such agent or it was revoked before."""
    return tx.conn.execute(_REVOKE, tx.params({"b_name": name})).first() is not None


def rotate(tx: Tx, name: str, token: str, seen: int) -> bool:
    """Another token from now on, `token`; the one made at `seen` is over at once.

    False where there is no such agent, it was revoked, or its token is another one by now.
    """
    mine = by_token(tx, token)
    if mine is not None:
        return mine.name == name  # the first run of this transaction had committed
    params = {"b_name": name, "b_hash": _hash(token), "b_seen": seen}
    return tx.conn.execute(_ROTATE, tx.params(params)).first() is not None


def rescope(tx: Tx, name: str, scopes: frozenset[str]) -> bool:
    """What an agent may do from its next request on; False as for `revoke`."""
    params = {"b_name": name, "b_scopes": _scopes(scopes)}
    return tx.conn.execute(_RESCOPE, params).first() is not None


def new_token() -> str:
    """256 random bits."""
    return f"ud_{secrets.token_urlsafe(32)}"


def names(tx: Tx) -> list[str]:
    """All agents."""
    return list(tx.conn.scalars(select(agent.c.name).order_by(agent.c.name)))


def everyone(tx: Tx) -> list[Known]:
    """All agents, revoked ones too, by name."""
    return [
        Known(row.name, tuple(row.scopes.split(",")), row.created_at, row.revoked_at, row.token_at)
        for row in tx.conn.execute(_KNOWN)
    ]


def _scopes(scopes: frozenset[str]) -> str:
    return ",".join(sorted(scopes))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
