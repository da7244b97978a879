"""Agents: programs that may draft, each with a token."""

import re
from collections.abc import Iterable

from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.services.desk import Desk
from webapp.store import admin_log, agents
from webapp.store.admin_log import Area
from webapp.store.agents import SCOPES, Agent, Known
from webapp.store.engine import Tx

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def add(desk: Desk, name: str, scopes: str, by: str = "command") -> str:
    """A new agent's token, shown only now. `scopes` are comma-separated. Raises Invalid."""
    if not _NAME.fullmatch(name):
        raise Invalid.field("/name", "needs 1 to 100 letters, digits, dots, dashes or underscores")
    wanted = _wanted(scopes.split(","))

    def work(tx: Tx) -> str | None:
        token = agents.add(tx, name, wanted)
        if token is not None:
            admin_log.note(tx, Area.AGENTS, name, f"added, may {_list(wanted)}", by)
        return token

    token = desk.db.transact(work)
    if token is None:
        raise Invalid.field("/name", f"there is an agent {name!r} already")
    return token


def rotate(desk: Desk, name: str, seen: int, by: str) -> str:
    """Another token, shown only now; the old one, made at `seen`, is over at once.

    Raises NotFound (none, or revoked), Changed (it is another one by now).
    """
    token = agents.new_token()

    def work(tx: Tx) -> None:
        _require_live(tx, name)
        if not agents.rotate(tx, name, token, seen):
            raise Changed(f"The token of {name} was made anew meanwhile: that one holds.")
        admin_log.note(tx, Area.AGENTS, name, "got a new token", by)

    desk.db.transact(work)
    return token


def revoke(desk: Desk, name: str, by: str) -> None:
    """Its token is over, for good; what it drafted stays. Raises NotFound."""

    def work(tx: Tx) -> None:
        _require_live(tx, name)
        agents.revoke(tx, name)
        admin_log.note(tx, Area.AGENTS, name, "revoked", by)

    desk.db.transact(work)


def rescope(desk: Desk, name: str, scopes: Iterable[str], by: str) -> None:
    """What it may do from its next request on. Raises NotFound, Invalid."""
    wanted = _wanted(scopes)

    def work(tx: Tx) -> None:
        _require_live(tx, name)
        agents.rescope(tx, name, wanted)
        admin_log.note(tx, Area.AGENTS, name, f"may {_list(wanted)}", by)

    desk.db.transact(work)


def everyone(desk: Desk) -> list[Known]:
    """All agents, revoked ones too, by name."""
    with desk.db.read() as tx:
        return agents.everyone(tx)


def by_token(desk: Desk, token: str) -> Agent | None:
    """Who holds this token, unless it was revoked."""
    with desk.db.read() as tx:
        return agents.by_token(tx, token)


def _wanted(scopes: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(scope.strip() for scope in scopes if scope.strip())
    if not wanted or wanted - frozenset(SCOPES):
        raise Invalid.field("/scopes", f"must be some of {', '.join(SCOPES)}")
    return wanted


def _list(scopes: frozenset[str]) -> str:
    return ", ".join(scope for scope in SCOPES if scope in scopes)


def _require_live(tx: Tx, name: str) -> None:
    if not any(one.name == name and one.revoked_at is None for one in agents.everyone(tx)):
        raise NotFound(f"There is no agent {name[:60]!r} with a token.")
