"""People and agents: who may sign in, with what, how often."""

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, update

from tests.store.rows import put
from webapp.domain.errors import Invalid, TooManyAttempts
from webapp.domain.times import SECOND
from webapp.services import agents, views
from webapp.services import sign_in as module
from webapp.services.desk import Desk
from webapp.services.sign_in import (
    FAILURES_OF_ADDRESS,
    FAILURES_OF_HOST,
    SignInFailed,
    add_person,
    sign_in,
    sign_out,
    who,
)
from webapp.store import people
from webapp.store.people_schema import login_failure
from webapp.store.schema import view

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real argon2id with little work: 0.1 s a try would be most of this file's time."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(module, "_hasher", quick)
    module._nobody.cache_clear()


@pytest.fixture
def ana(desk: Desk) -> Desk:
    """A desk where Ana may sign in."""
    add_person(desk, email="Ana@Example.com", name=None, role="staff", password=PASSWORD)
    return desk


def attempt(desk: Desk, password: str, email: str = "ana@example.com", host: str = "h") -> str:
    return sign_in(desk, email=email, password=password, host=host)


def fail(desk: Desk, email: str = "ana@example.com", host: str = "h", times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(SignInFailed):
            attempt(desk, "wrong", email, host)


def test_the_right_password_opens_a_session(ana: Desk) -> None:
    """Issue 2, 9: sessions in the database; addresses in any case."""
    token = attempt(ana, PASSWORD, "ANA@example.com")
    person = who(ana, token)
    assert person is not None
    assert (person.email, person.name, person.role) == ("ana@example.com", "Ana", "staff")
    assert person.actor == "staff:ana@example.com"


def test_signing_out_ends_a_session_for_good(ana: Desk) -> None:
    """DESIGN, Flask: a client-side session would survive logout when replayed."""
    token, other = attempt(ana, PASSWORD), attempt(ana, PASSWORD)
    sign_out(ana, token)
    assert who(ana, token) is None
    assert who(ana, other) is not None
    sign_out(ana, token)


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("ana@example.com", "wrong"),
        ("ana@example.com", ""),
        ("nobody@example.com", PASSWORD),
        ("", ""),
        ("a\x00b", PASSWORD),
        ("\ud800", PASSWORD),
        ("ana@example.com", "\ud800"),
        ("ana@example.com", PASSWORD + "\x00"),
    ],
)
def test_anything_else_fails_in_the_same_words(ana: Desk, email: str, password: str) -> None:
    """Nobody learns who is known; bad input is never a 500."""
    with pytest.raises(SignInFailed, match="do not belong together"):
        attempt(ana, password, email)


def test_an_address_is_tried_a_limited_number_of_times(ana: Desk) -> None:
    """Issue 2, 9: counted in the database, for all processes; the right one waits too."""
    fail(ana, times=FAILURES_OF_ADDRESS)
    with pytest.raises(TooManyAttempts):
        attempt(ana, PASSWORD, host="elsewhere")
    long_ago = update(login_failure).values(at=ana.now() - people.FAILURES_COUNT_FOR - SECOND)
    ana.db.transact(lambda tx: tx.conn.execute(long_ago))
    assert attempt(ana, PASSWORD)


def test_a_host_is_limited_over_all_addresses(ana: Desk) -> None:
    """Guessing many addresses from one host stops as well; others go on."""
    for number in range(FAILURES_OF_HOST):
        fail(ana, f"x{number}@example.com", "one host")
    with pytest.raises(TooManyAttempts):
        attempt(ana, PASSWORD, host="one host")
    assert attempt(ana, PASSWORD, host="another")


def test_old_failures_are_forgotten(ana: Desk) -> None:
    """The table does not grow for ever."""
    fail(ana, times=3)
    long_ago = update(login_failure).values(at=0)
    ana.db.transact(lambda tx: tx.conn.execute(long_ago))
    fail(ana)
    with ana.db.read() as tx:
        assert len(tx.conn.execute(select(login_failure)).all()) == 2


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"email": "ana"}, "/email"),
        ({"email": "Bo <bo@example.com>"}, "/email"),
        ({"email": "ANA@example.com"}, "/email"),
        ({"role": "owner"}, "/role"),
        ({"password": "short"}, "/password"),
        ({"password": "x" * 501}, "/password"),
        ({"name": "a\nb"}, "/name"),
    ],
)
def test_a_person_is_added_only_when_all_is_right(
    ana: Desk, change: dict[str, str], pointer: str
) -> None:
    """CONTRACT, `user add`: one line that says what is wrong."""
    given = {"email": "bo@example.com", "name": "Bo", "role": "admin", "password": PASSWORD}
    with pytest.raises(Invalid) as refusal:
        add_person(ana, **(given | change))
    assert refusal.value.errors[0].pointer == pointer
    with ana.db.read() as tx:
        assert len(people.everyone(tx)) == 1


def test_an_agent_is_known_by_its_token(desk: Desk) -> None:
    """CONTRACT, `agent add`: the token is shown once and begins with `ud_`."""
    token = agents.add(desk, "returns-agent", "draft, read")
    assert token.startswith("ud_")
    found = agents.by_token(desk, token)
    assert found is not None
    assert found.name == "returns-agent"
    assert found.scopes == {"draft", "read"}
    for wrong in ("", "ud_", token[:-1], token.upper(), token + "x"):
        assert agents.by_token(desk, wrong) is None


@pytest.mark.parametrize(
    ("name", "scopes", "pointer"),
    [
        ("", "draft", "/name"),
        ("a b", "draft", "/name"),
        ("-x", "draft", "/name"),
        ("x" * 101, "draft", "/name"),
        ("taken", "draft", "/name"),
        ("new", "", "/scopes"),
        ("new", "draft,fly", "/scopes"),
    ],
)
def test_a_bad_agent_is_refused(desk: Desk, name: str, scopes: str, pointer: str) -> None:
    """CONTRACT, `agent add NAME [--scopes …]`."""
    agents.add(desk, "taken", "draft")
    with pytest.raises(Invalid) as refusal:
        agents.add(desk, name, scopes)
    assert refusal.value.errors[0].pointer == pointer


def test_a_report_of_views_is_taken_once(ana: Desk) -> None:
    """CONTRACT, `POST /feed/views`."""
    one = put(ana.db)
    person = who(ana, attempt(ana, PASSWORD))
    assert person is not None
    views.record(ana, person.id, [(one, 1), (one, 1), ("unknown", 1)])
    views.record(ana, person.id, [])
    with ana.db.read() as tx:
        assert len(tx.conn.execute(select(view)).all()) == 1
