"""Agents: programs that may draft, each with a token."""

import re

from webapp.domain.errors import Invalid
from webapp.services.desk import Desk
from webapp.store import agents
from webapp.store.agents import SCOPES, Agent, Known

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def add(desk: Desk, name: str, scopes: str) -> str:
    """A new agent's token, shown only now. `scopes` are comma-separated. Raises Invalid."""
    if not _NAME.fullmatch(name):
        raise Invalid.field("/name", "needs 1 to 100 letters, digits, dots, dashes or underscores")
    wanted = frozenset(scope.strip() for scope in scopes.split(",") if scope.strip())
    if not wanted or wanted - frozenset(SCOPES):
        raise Invalid.field("/scopes", f"must be some of {', '.join(SCOPES)}")
    token = desk.db.transact(lambda tx: agents.add(tx, name, wanted))
    if token is None:
        raise Invalid.field("/name", f"there is an agent {name!r} already")
    return token


def everyone(desk: Desk) -> list[Known]:
    """All agents, revoked ones too, by name."""
    with desk.db.read() as tx:
        return agents.everyone(tx)


def by_token(desk: Desk, token: str) -> Agent | None:
    """Who holds this token, unless it was revoked."""
    with desk.db.read() as tx:
        return agents.by_token(tx, token)
