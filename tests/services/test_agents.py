"""Agents' tokens: made anew, revoked, and what they may do."""

import pytest

from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.services import admin_log, agents
from webapp.services.desk import Desk
from webapp.store.admin_log import Area
from webapp.store.agents import Known

IDA = "staff:ida@example.com"


def known(desk: Desk, name: str = "bot") -> Known:
    return next(one for one in agents.everyone(desk) if one.name == name)


def test_a_new_token_ends_the_old_one_at_once(desk: Desk) -> None:
    """Issue 4, 7; the same form sent twice makes one."""
    old = agents.add(desk, "bot", "draft,read", IDA)
    seen = known(desk).token_at
    assert seen == known(desk).created_at
    new = agents.rotate(desk, "bot", seen, IDA)
    assert agents.by_token(desk, old) is None
    found = agents.by_token(desk, new)
    assert found is not None
    assert found.name == "bot"
    assert found.scopes == {"draft", "read"}
    with pytest.raises(Changed):
        agents.rotate(desk, "bot", seen, IDA)
    assert agents.by_token(desk, new) == found
    assert agents.rotate(desk, "bot", known(desk).token_at, IDA) != new


def test_a_revoked_agent_gets_no_token_any_more(desk: Desk) -> None:
    """For good, and nobody else gets its name."""
    token = agents.add(desk, "bot", "draft", IDA)
    agents.revoke(desk, "bot", IDA)
    assert agents.by_token(desk, token) is None
    for attempt in (
        lambda: agents.rotate(desk, "bot", known(desk).token_at, IDA),
        lambda: agents.revoke(desk, "bot", IDA),
        lambda: agents.rescope(desk, "bot", ["read"], IDA),
        lambda: agents.revoke(desk, "nobody", IDA),
    ):
        with pytest.raises(NotFound):
            attempt()
    with pytest.raises(Invalid, match="already"):
        agents.add(desk, "bot", "draft", IDA)


def test_scopes_hold_from_the_next_request(desk: Desk) -> None:
    """With the token that it has."""
    token = agents.add(desk, "bot", "draft", IDA)
    agents.rescope(desk, "bot", ["read", "cancel"], IDA)
    found = agents.by_token(desk, token)
    assert found is not None
    assert found.scopes == {"read", "cancel"}
    for wrong in ([], ["everything"], ["read", "admin"]):
        with pytest.raises(Invalid) as refused:
            agents.rescope(desk, "bot", wrong, IDA)
        assert refused.value.errors[0].pointer == "/scopes"


def test_who_did_what_is_kept(desk: Desk) -> None:
    """Newest first; no token stands there."""
    tokens = [agents.add(desk, "bot", "read,draft", IDA)]
    tokens.append(agents.rotate(desk, "bot", known(desk).token_at, IDA))
    agents.rescope(desk, "bot", ["read"], IDA)
    agents.revoke(desk, "bot", IDA)
    log = admin_log.latest(desk, Area.AGENTS)
    assert [one.did for one in log] == [
        "revoked",
        "may read",
        "got a new token",
        "added, may draft, read",
    ]
    assert {(one.subject, one.changed_by) for one in log} == {("bot", IDA)}
    assert not any(token in repr(log) for token in tokens)
