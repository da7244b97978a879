"""People as admins see and change them: roles, leaving, and links that set a password."""

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select, update

from webapp.domain.times import SECOND
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.people import Person
from webapp.store.people_schema import invitation, person, session

LINK_LASTS = 3 * 24 * 3600 * SECOND


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody as they are listed. Times in UTC microseconds."""

    id: int
    email: str
    name: str
    role: str
    created_at: int
    deactivated_at: int | None
    has_password: bool
    link_until: int | None
    """Until when a link stands by which they may set a password."""

    @property
    def may_sign_in(self) -> bool:
        """Whether they can come in without anybody's help."""
        return self.deactivated_at is None and self.has_password


_MEMBERS = (
    select(
        *(person.c.id, person.c.email, person.c.name, person.c.role, person.c.created_at),
        *(person.c.deactivated_at, person.c.password_hash),
        invitation.c.expires_at.label("link_until"),
    )
    .outerjoin(
        invitation, (invitation.c.person_id == person.c.id) & (invitation.c.expires_at > NOW)
    )
    .order_by(person.c.email)
)
_ADMINS = (
    select(person.c.id)
    .where(
        person.c.role == "admin",
        person.c.deactivated_at.is_(None),
        person.c.password_hash != "",
    )
    .order_by(person.c.id)
    .with_for_update()
)
_LOCK = select(person.c.id).where(person.c.id == bindparam("b_id")).with_for_update()
_INVITED = (
    select(person.c.id, person.c.email, person.c.name, person.c.role)
    .join(invitation, invitation.c.person_id == person.c.id)
    .where(
        invitation.c.token_hash == bindparam("b_hash"),
        invitation.c.expires_at > NOW,
        person.c.deactivated_at.is_(None),
    )
)
_UPDATE = update(person).where(person.c.id == bindparam("b_id"))
_ROLE = _UPDATE.values(role=bindparam("b_role"))
_ACTIVE = _UPDATE.values(deactivated_at=bindparam("b_at"))
_PASSWORD = _UPDATE.values(password_hash=bindparam("b_password"))
_SESSIONS = (
    delete(session).where(session.c.person_id == bindparam("b_id")).returning(session.c.token_hash)
)
_NO_LINK = delete(invitation).where(invitation.c.person_id == bindparam("b_id"))


def everyone(tx: Tx) -> list[Member]:
    """All people, those who left too, by address."""
    return [_member(row) for row in tx.conn.execute(_MEMBERS, tx.params({}))]


def lock(tx: Tx, person_id: int) -> Member | None:
    """One person, whom nobody else changes until the end of the transaction."""
    tx.conn.execute(_LOCK, {"b_id": person_id})
    found = _MEMBERS.where(person.c.id == bindparam("b_id"))
    row = tx.conn.execute(found, tx.params({"b_id": person_id})).first()
    return None if row is None else _member(row)


def lock_admins(tx: Tx) -> set[int]:
    """Ids of the admins who can sign in: nobody else takes one away until the transaction ends."""
    return set(tx.conn.scalars(_ADMINS))


def set_role(tx: Tx, person_id: int, role: str) -> None:
    """Holds from their next request on."""
    tx.conn.execute(_ROLE, {"b_id": person_id, "b_role": role})


def set_active(tx: Tx, person_id: int, active: bool) -> None:
    """Whether they may sign in at all."""
    at = None if active else tx.now()
    tx.conn.execute(_ACTIVE, {"b_id": person_id, "b_at": at})


def set_password(tx: Tx, person_id: int, password_hash: str) -> None:
    """From now on this one."""
    tx.conn.execute(_PASSWORD, {"b_id": person_id, "b_password": password_hash})


def end_sessions(tx: Tx, person_id: int) -> list[str]:
    """Sign a person out everywhere; the ids of the sessions that ended."""
    return list(tx.conn.scalars(_SESSIONS, {"b_id": person_id}))


def end_link(tx: Tx, person_id: int) -> None:
    """No link sets this person's password any more."""
    tx.conn.execute(_NO_LINK, {"b_id": person_id})


def open_link(tx: Tx, person_id: int) -> str:
    """A link's token, shown this once; one that stood is over."""
    end_link(tx, person_id)
    token = secrets.token_urlsafe(32)
    values = {"token_hash": _hash(token), "expires_at": tx.now() + LINK_LASTS}
    tx.conn.execute(insert(invitation).values(person_id=person_id, **values))
    return token


def invited(tx: Tx, token: str) -> Person | None:
    """Whose link this is, while it stands."""
    row = tx.conn.execute(_INVITED, tx.params({"b_hash": _hash(token)})).first()
    return None if row is None else Person(row.id, row.email, row.name, row.role)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _member(row: AnyRow) -> Member:
    return Member(
        id=row.id,
        email=row.email,
        name=row.name,
        role=row.role,
        created_at=row.created_at,
        deactivated_at=row.deactivated_at,
        has_password=bool(row.password_hash),
        link_until=row.link_until,
    )
