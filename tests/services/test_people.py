"""Who may sign in: roles, leaving, the last admin, and links that set a password."""

import threading

import pytest
from argon2 import PasswordHasher
from sqlalchemy import update

from webapp.domain.errors import Invalid, NotFound
from webapp.services import admin_log, people, sign_in
from webapp.services.desk import Desk
from webapp.services.people import LAST_ADMIN, LinkOver
from webapp.services.sign_in import SignInFailed
from webapp.store import members
from webapp.store import people as people_rows
from webapp.store.admin_log import Area
from webapp.store.people import session_id
from webapp.store.people_schema import invitation

IDA = "staff:ida@example.com"
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real argon2id with little work."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(sign_in, "_hasher", quick)
    sign_in._nobody.cache_clear()


@pytest.fixture
def office(desk: Desk) -> Desk:
    """Ida is its admin, Ana on staff."""
    for name, role in (("ida", "admin"), ("ana", "staff")):
        address = f"{name}@example.com"
        sign_in.add_person(desk, email=address, name=name, role=role, password=PASSWORD)
    return desk


def number(desk: Desk, name: str) -> int:
    return next(one.id for one in people.everyone(desk) if one.name == name)


def enter(desk: Desk, name: str, password: str = PASSWORD) -> str:
    return sign_in.sign_in(desk, email=f"{name}@example.com", password=password, host="h")


def roles(desk: Desk) -> dict[str, str]:
    return {one.name: one.role for one in people.everyone(desk) if one.may_sign_in}


def last_words(desk: Desk) -> tuple[str, str, str]:
    one = admin_log.latest(desk, Area.PEOPLE, 1)[0]
    return one.subject, one.did, one.changed_by


def test_somebody_new_sets_a_password_by_a_link_once(office: Desk) -> None:
    """Issue 4, 7: no admin knows it, and a link that was used is over."""
    link = people.invite(office, email="Bo@example.com", name=None, role="staff", by=IDA)
    assert last_words(office) == ("bo@example.com", "added as staff", IDA)
    with pytest.raises(SignInFailed):
        enter(office, "bo", "")
    assert people.invited(office, link.token).email == "bo@example.com"
    token, ended = people.set_password(office, link.token, PASSWORD)
    who = sign_in.who(office, token)
    assert who is not None
    assert (who.email, who.name, ended) == ("bo@example.com", "Bo", [])
    assert enter(office, "bo")
    for again in (people.invited, lambda d, t: people.set_password(d, t, PASSWORD)):
        with pytest.raises(LinkOver):
            again(office, link.token)


def test_a_bad_password_leaves_the_link_as_it_was(office: Desk) -> None:
    """The rule of `user add`, in the same words."""
    link = people.invite(office, email="bo@example.com", name="Bo", role="staff", by=IDA)
    with pytest.raises(Invalid, match="needs 12 to 500 characters"):
        people.set_password(office, link.token, "short")
    assert people.set_password(office, link.token, PASSWORD)


def test_a_link_is_over_when_replaced_or_old_or_of_somebody_who_left(office: Desk) -> None:
    """One stands at a time, for three days."""
    ana = number(office, "ana")
    first, second = (people.new_link(office, ana, IDA).token for _ in range(2))
    with pytest.raises(LinkOver):
        people.invited(office, first)
    people.invited(office, second)
    office.db.transact(
        lambda tx: tx.conn.execute(update(invitation).values(expires_at=office.now() - 1))
    )
    with pytest.raises(LinkOver):
        people.set_password(office, second, PASSWORD)
    third = people.new_link(office, ana, IDA).token
    people.deactivate(office, ana, IDA)
    with pytest.raises(LinkOver):
        people.invited(office, third)
    with pytest.raises(Invalid, match="let them in again"):
        people.new_link(office, ana, IDA)


def test_a_password_set_anew_ends_every_other_session(office: Desk) -> None:
    """Whoever had the old one is out."""
    old = enter(office, "ana")
    link = people.new_link(office, number(office, "ana"), IDA)
    assert sign_in.who(office, old) is not None
    _, ended = people.set_password(office, link.token, "another good password")
    assert ended == [session_id(old)]
    assert sign_in.who(office, old) is None
    with pytest.raises(SignInFailed):
        enter(office, "ana")


def test_who_left_is_out_everywhere(office: Desk) -> None:
    """Sessions end, screens are found to be over, and the password opens nothing."""
    tokens = [enter(office, "ana") for _ in range(2)]
    ids = {session_id(token) for token in tokens}
    one, ended = people.deactivate(office, number(office, "ana"), IDA)
    assert (one.name, set(ended)) == ("ana", ids)
    assert [sign_in.who(office, token) for token in tokens] == [None, None]
    assert sign_in.ended(office, ids) == ids
    with pytest.raises(SignInFailed, match="do not belong together"):
        enter(office, "ana")
    assert last_words(office) == ("ana@example.com", "may not sign in any more", IDA)
    people.activate(office, number(office, "ana"), IDA)
    assert sign_in.who(office, tokens[0]) is None
    assert enter(office, "ana")


def test_a_session_that_was_opened_at_that_moment_counts_for_nothing(office: Desk) -> None:
    """Signing in reads the person first: the session must not outlive the right to it."""
    with office.db.read() as tx:
        found = people_rows.by_email(tx, "ana@example.com")
    assert found is not None
    people.deactivate(office, found[0].id, IDA)
    token = office.db.transact(lambda tx: people_rows.open_session(tx, found[0]))
    assert sign_in.who(office, token) is None
    assert sign_in.ended(office, [session_id(token)]) == {session_id(token)}


def test_a_role_holds_from_the_next_request(office: Desk) -> None:
    """The session stays, with the other rights."""
    token = enter(office, "ana")
    people.change_role(office, number(office, "ana"), "admin", IDA)
    who = sign_in.who(office, token)
    assert who is not None
    assert who.role == "admin"
    assert last_words(office) == ("ana@example.com", "was staff, is admin", IDA)
    with pytest.raises(Invalid, match="must be one of"):
        people.change_role(office, number(office, "ana"), "owner", IDA)


def test_the_last_admin_stays(office: Desk) -> None:
    """One who has no password yet, or left, is none to rely on."""
    ida = number(office, "ida")
    people.invite(office, email="new@example.com", name="new", role="admin", by=IDA)
    for attempt in (
        lambda: people.deactivate(office, ida, IDA),
        lambda: people.change_role(office, ida, "staff", IDA),
    ):
        with pytest.raises(Invalid) as refused:
            attempt()
        assert refused.value.errors[0].detail == f"ida@example.com {LAST_ADMIN}"
    assert roles(office) == {"ida": "admin", "ana": "staff"}
    people.change_role(office, number(office, "ana"), "admin", IDA)
    people.deactivate(office, ida, IDA)
    with pytest.raises(Invalid, match="last admin"):
        people.change_role(office, number(office, "ana"), "staff", IDA)


def test_two_admins_who_remove_each_other_leave_one(office: Desk) -> None:
    """On both databases, whoever is first."""
    people.change_role(office, number(office, "ana"), "admin", IDA)
    start = threading.Barrier(2)
    refusals: list[str] = []

    def remove(name: str) -> None:
        start.wait()
        try:
            people.deactivate(office, number(office, name), IDA)
        except Invalid as refused:
            refusals.append(refused.detail)

    for _ in range(6):
        threads = [threading.Thread(target=remove, args=(name,)) for name in ("ida", "ana")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(roles(office)) == 1
        assert len(refusals) == 1
        refusals.clear()
        for name in ("ida", "ana"):
            people.activate(office, number(office, name), IDA)


@pytest.mark.parametrize("nobody", [0, -1, 99, 2**31, 2**70])
def test_nobody_is_changed_who_is_not_there(office: Desk, nobody: int) -> None:
    """Never a 500, however large the number."""
    for attempt in (people.deactivate, people.activate, people.new_link):
        with pytest.raises(NotFound):
            attempt(office, nobody, IDA)


@pytest.mark.parametrize(
    ("email", "role", "pointer"),
    [
        ("bo", "staff", "/email"),
        ("ANA@example.com", "staff", "/email"),
        ("bo@example.com", "owner", "/role"),
        ("bo@example.com", "", "/role"),
    ],
)
def test_who_is_added_is_checked(office: Desk, email: str, role: str, pointer: str) -> None:
    """As for `user add`."""
    with pytest.raises(Invalid) as refused:
        people.invite(office, email=email, name=None, role=role, by=IDA)
    assert refused.value.errors[0].pointer == pointer
    assert len(people.everyone(office)) == 2


def test_a_link_is_kept_as_a_hash(office: Desk) -> None:
    """A copy of the database opens nothing."""
    token = people.new_link(office, number(office, "ana"), IDA).token
    with office.db.read() as tx:
        kept = tx.conn.execute(invitation.select()).one()
        assert token not in repr(kept)
        assert members.invited(tx, kept.token_hash) is None
