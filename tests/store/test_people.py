"""People, sessions and agents: only hashes are kept, and what is over is over."""

import pytest
from sqlalchemy import select, update

from webapp.domain.times import SECOND
from webapp.store import agents, people
from webapp.store.engine import Database
from webapp.store.people import SESSION_LASTS, Person
from webapp.store.people_schema import agent, session
from webapp.store.tables import TABLES


@pytest.fixture
def ana(database: Database) -> Person:
    """Somebody on staff."""
    database.transact(
        lambda tx: people.add(
            tx, email="Ana@Example.com", name="Ana", role="staff", password_hash="hash"
        )
    )
    with database.read() as tx:
        found = people.by_email(tx, "ANA@example.COM")
    assert found is not None
    return found[0]


def everything(db: Database) -> str:
    """Every value of every table, as text."""
    with db.read() as tx:
        return repr([tx.conn.execute(select(table)).all() for table in TABLES.tables.values()])


def test_a_person_is_found_in_any_case_and_added_once(database: Database, ana: Person) -> None:
    """Addresses are kept in lower case."""
    assert (ana.email, ana.actor) == ("ana@example.com", "staff:ana@example.com")
    again = database.transact(
        lambda tx: people.add(tx, email="ana@EXAMPLE.com", name="B", role="admin", password_hash="")
    )
    assert again is False
    with database.read() as tx:
        assert people.everyone(tx) == [ana]
        assert people.by_email(tx, "nobody@example.com") is None


def test_a_session_is_kept_as_a_hash(database: Database, ana: Person) -> None:
    """Issue 2, 9: a copy of the database signs nobody in."""
    token = database.transact(lambda tx: people.open_session(tx, ana))
    assert token not in everything(database)
    with database.read() as tx:
        assert people.by_session(tx, token) == ana
        assert people.by_session(tx, people.session_id(token)) is None
        assert people.by_session(tx, "") is None


def test_a_session_ends_when_its_time_is_over(database: Database, ana: Person) -> None:
    """Fourteen days, by the deciding clock."""
    token = database.transact(lambda tx: people.open_session(tx, ana))
    with database.read() as tx:
        lasts = tx.conn.execute(select(session.c.created_at, session.c.expires_at)).one()
    assert lasts.expires_at - lasts.created_at == SESSION_LASTS
    over = update(session).values(expires_at=database.now() - SECOND)
    database.transact(lambda tx: tx.conn.execute(over))
    with database.read() as tx:
        assert people.by_session(tx, token) is None
    database.transact(people.forget_old)
    with database.read() as tx:
        assert tx.conn.execute(select(session)).all() == []


def test_signing_out_ends_this_session_for_good(database: Database, ana: Person) -> None:
    """DESIGN, Flask: replaying an old cookie must not help."""
    token, other = (database.transact(lambda tx: people.open_session(tx, ana)) for _ in range(2))
    database.transact(lambda tx: people.close_session(tx, token))
    with database.read() as tx:
        assert people.by_session(tx, token) is None
        assert people.by_session(tx, other) == ana


def test_an_agents_token_is_kept_as_a_hash(database: Database) -> None:
    """Issue 2, 5: bearer tokens hashed at rest."""
    token = database.transact(lambda tx: agents.add(tx, "bot", frozenset({"read", "draft"})))
    assert token is not None
    assert token not in everything(database)
    assert token.removeprefix("ud_") not in everything(database)
    with database.read() as tx:
        found = agents.by_token(tx, token)
        stored = tx.conn.scalar(select(agent.c.token_hash))
        assert stored is not None
        assert agents.by_token(tx, stored) is None
    assert found == agents.Agent("bot", frozenset({"read", "draft"}))


def test_a_revoked_token_opens_nothing(database: Database) -> None:
    """Once revoked, never again."""
    token = database.transact(lambda tx: agents.add(tx, "bot", frozenset({"read"})))
    assert database.transact(lambda tx: agents.revoke(tx, "bot")) is True
    with database.read() as tx:
        assert agents.by_token(tx, token or "") is None
    assert database.transact(lambda tx: agents.revoke(tx, "bot")) is False
    assert database.transact(lambda tx: agents.revoke(tx, "nobody")) is False


def test_an_agents_name_is_given_once(database: Database) -> None:
    """Events name agents for years: a name is never somebody else's."""
    for expected in (True, False):
        made = database.transact(lambda tx: agents.add(tx, "bot", frozenset({"read"})))
        assert (made is not None) is expected
    database.transact(lambda tx: agents.revoke(tx, "bot"))
    assert database.transact(lambda tx: agents.add(tx, "bot", frozenset({"read"}))) is None
