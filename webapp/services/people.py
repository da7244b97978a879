"""Who may sign in: adding, roles, leaving, and links by which somebody sets a password.

No admin knows a password: a link is shown once, lasts three days, and is used up by setting one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from webapp.domain.drafts import validated
from webapp.domain.errors import Invalid, NotFound
from webapp.services import sign_in
from webapp.services.desk import Desk
from webapp.services.sign_in import NewPerson
from webapp.store import admin_log, members, people
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.members import Member
from webapp.store.people import Person

T = TypeVar("T")
LAST_ADMIN = "is the last admin who can sign in: make somebody else one first"


class LinkOver(NotFound):
    """This link is over."""

    code = "link_over"


@dataclass(frozen=True, slots=True)
class Link:
    """A way to set a password, shown only now."""

    email: str
    token: str


def everyone(desk: Desk) -> list[Member]:
    """All people, those who left too, by address."""
    with desk.db.read() as tx:
        return members.everyone(tx)


def invite(desk: Desk, *, email: str, name: str | None, role: str, by: str) -> Link:
    """A new person, who sets a password by the link. Raises Invalid (address, name, role)."""
    new = validated(NewPerson, {"email": email, "name": name or email.partition("@")[0]})
    sign_in.check_role(role)

    def work(tx: Tx) -> Link:
        added = people.add(tx, email=new.email, name=new.name, role=role, password_hash="")
        found = people.by_email(tx, new.email)
        if not added or found is None:
            raise sign_in.taken(new.email)
        admin_log.note(tx, Area.PEOPLE, found[0].email, f"added as {role}", by)
        return Link(found[0].email, members.open_link(tx, found[0].id))

    return desk.db.transact(work)


def new_link(desk: Desk, person_id: int, by: str) -> Link:
    """A link for somebody who forgot; the password that they have holds until it is used.

    Raises NotFound, Invalid (they left).
    """

    def work(tx: Tx, one: Member) -> Link:
        if one.deactivated_at is not None:
            raise Invalid.field("/person", f"{one.email} may not sign in: let them in again first")
        admin_log.note(tx, Area.PEOPLE, one.email, "got a link to set a password", by)
        return Link(one.email, members.open_link(tx, one.id))

    return _with_person(desk, person_id, work)


def change_role(desk: Desk, person_id: int, role: str, by: str) -> Member:
    """Holds from their next request on. Raises NotFound, Invalid (the last admin)."""
    sign_in.check_role(role)

    def work(tx: Tx, one: Member) -> Member:
        if one.role != role:
            if role != "admin":
                _keep_an_admin(tx, one)
            members.set_role(tx, one.id, role)
            admin_log.note(tx, Area.PEOPLE, one.email, f"was {one.role}, is {role}", by)
        return one

    return _with_person(desk, person_id, work)


def deactivate(desk: Desk, person_id: int, by: str) -> tuple[Member, list[str]]:
    """They may not sign in any more; the ids of their sessions, which are over.

    What they did stays under their name. Raises NotFound, Invalid (the last admin).
    """

    def work(tx: Tx, one: Member) -> tuple[Member, list[str]]:
        if one.deactivated_at is None:
            _keep_an_admin(tx, one)
            members.set_active(tx, one.id, active=False)
            members.end_link(tx, one.id)
            admin_log.note(tx, Area.PEOPLE, one.email, "may not sign in any more", by)
        return one, members.end_sessions(tx, one.id)

    return _with_person(desk, person_id, work)


def activate(desk: Desk, person_id: int, by: str) -> Member:
    """They may sign in again, with the password that they had. Raises NotFound."""

    def work(tx: Tx, one: Member) -> Member:
        if one.deactivated_at is not None:
            members.end_sessions(tx, one.id)
            members.set_active(tx, one.id, active=True)
            admin_log.note(tx, Area.PEOPLE, one.email, "may sign in again", by)
        return one

    return _with_person(desk, person_id, work)


def invited(desk: Desk, token: str) -> Person:
    """Whose link this is. Raises LinkOver."""
    with desk.db.read() as tx:
        return _invited(tx, token)


def set_password(desk: Desk, token: str, password: str) -> tuple[str, list[str]]:
    """Uses a link up: a new session's token, and the ids of the sessions that are over.

    Raises LinkOver, Invalid (the password).
    """
    invited(desk, token)
    hashed = sign_in.hashed(password)

    def work(tx: Tx) -> tuple[str, list[str]]:
        who = _invited(tx, token)
        if members.lock(tx, who.id) is None or members.invited(tx, token) is None:
            raise LinkOver(_OVER)
        members.end_link(tx, who.id)
        members.set_password(tx, who.id, hashed)
        ended = members.end_sessions(tx, who.id)
        admin_log.note(tx, Area.PEOPLE, who.email, "set a password by a link", who.actor)
        return people.open_session(tx, who), ended

    return desk.db.transact(work)


_OVER = "It was used, replaced, or is older than three days: ask an admin for a new one."


def _invited(tx: Tx, token: str) -> Person:
    found = members.invited(tx, token)
    if found is None:
        raise LinkOver(_OVER)
    return found


def _with_person(desk: Desk, person_id: int, work: Callable[[Tx, Member], T]) -> T:
    """`work` on somebody whom nobody else changes meanwhile. Raises NotFound."""

    def locked(tx: Tx) -> T:
        # admins first, each in the order of their ids: two who change each other take turns
        members.lock_admins(tx)
        # a number beyond the column's is none that a person can have
        one = members.lock(tx, person_id) if 0 < person_id < 2**31 else None
        if one is None:
            raise NotFound("There is no such person.")
        return work(tx, one)

    return desk.db.transact(locked)


def _keep_an_admin(tx: Tx, one: Member) -> None:
    if one.role == "admin" and one.may_sign_in and members.lock_admins(tx) == {one.id}:
        raise Invalid.field("/person", f"{one.email} {LAST_ADMIN}")
