"""People and their sessions. A session lives in the database: signing out ends it for good."""

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, func, insert, select

from webapp.domain.times import SECOND
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.people_schema import login_failure, person, session

SESSION_LASTS = 14 * 24 * 3600 * SECOND
FAILURES_COUNT_FOR = 15 * 60 * SECOND


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may sign in; `role` is staff or admin."""

    id: int
    email: str
    name: str
    role: str

    @property
    def actor(self) -> str:
        """How events name them."""
        return f"staff:{self.email}"


_COLUMNS = (person.c.id, person.c.email, person.c.name, person.c.role)
_EVERYONE = Hot(select(*_COLUMNS).order_by(person.c.email))
_BY_EMAIL = select(*_COLUMNS, person.c.password_hash).where(person.c.email == bindparam("b_email"))
_ACTIVE = _BY_EMAIL.where(person.c.deactivated_at.is_(None))
_BY_SESSION = (
    select(*_COLUMNS)
    .join(session, session.c.person_id == person.c.id)
    .where(
        session.c.token_hash == bindparam("b_hash"),
        session.c.expires_at > NOW,
        person.c.deactivated_at.is_(None),
    )
)
_LIVING = (
    select(session.c.token_hash)
    .join(person, person.c.id == session.c.person_id)
    .where(
        session.c.token_hash.in_(bindparam("ids", expanding=True)),
        session.c.expires_at > NOW,
        person.c.deactivated_at.is_(None),
    )
)
_FAILURES = select(func.count()).where(
    login_failure.c.subject == bindparam("b_subject"),
    login_failure.c.at > NOW - FAILURES_COUNT_FOR,
)


def add(tx: Tx, *, email: str, name: str, role: str, password_hash: str) -> bool:
    """A new person; False where the address is taken. Addresses are kept in lower case."""
    if tx.conn.execute(_BY_EMAIL, {"b_email": email.lower()}).first() is not None:
        return False
    values = {"email": email.lower(), "name": name, "role": role, "password_hash": password_hash}
    tx.conn.execute(insert(person).values(**values, created_at=tx.now()))
    return True


def by_email(tx: Tx, email: str) -> tuple[Person, str] | None:
    """A person who may sign in, and their password hash: empty where they have set none yet."""
    row = tx.conn.execute(_ACTIVE, {"b_email": email.lower()}).first()
    return None if row is None else (_person(row), row.password_hash)


def everyone(tx: Tx) -> list[Person]:
    """All people, those who left too, by address."""
    return [_person(row) for row in _EVERYONE.all(tx, {})]


def open_session(tx: Tx, who: Person) -> str:
    """A new session's token; only its hash is kept."""
    token = secrets.token_urlsafe(32)
    now = tx.now()
    values = {"person_id": who.id, "created_at": now, "expires_at": now + SESSION_LASTS}
    tx.conn.execute(insert(session).values(token_hash=session_id(token), **values))
    return token


def by_session(tx: Tx, token: str) -> Person | None:
    """Whose session it is, while it lasts."""
    row = tx.conn.execute(_BY_SESSION, tx.params({"b_hash": session_id(token)})).first()
    return None if row is None else _person(row)


def close_session(tx: Tx, token: str) -> None:
    """Sign out."""
    tx.conn.execute(delete(session).where(session.c.token_hash == session_id(token)))


def ended_sessions(tx: Tx, ids: Collection[str]) -> set[str]:
    """Those of `ids` (`session_id`) that are over or were closed."""
    living = tx.conn.scalars(_LIVING, tx.params({"ids": list(ids)}))
    return set(ids).difference(living)


def session_id(token: str) -> str:
    """The name of a session that is safe to keep: the hash of its token."""
    return hashlib.sha256(token.encode()).hexdigest()


def note_failure(tx: Tx, subject: str) -> None:
    """One failed sign-in for `subject` (an address or a host)."""
    tx.conn.execute(insert(login_failure).values(subject=subject, at=tx.now()))


def failures(tx: Tx, subject: str) -> int:
    """Failed sign-ins of `subject` that still count."""
    return tx.conn.scalar(_FAILURES, tx.params({"b_subject": subject})) or 0


def forget_old(tx: Tx) -> None:
    """Drop sessions and failures that no longer mean anything."""
    tx.conn.execute(delete(session).where(session.c.expires_at < NOW), tx.params({}))
    old = delete(login_failure).where(login_failure.c.at < NOW - FAILURES_COUNT_FOR)
    tx.conn.execute(old, tx.params({}))


def _person(row: AnyRow) -> Person:
    return Person(row.id, row.email, row.name, row.role)
