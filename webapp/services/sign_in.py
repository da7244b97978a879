"""People: adding them, signing in, signing out."""

from collections.abc import Collection
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from webapp.domain.drafts import validated
from webapp.domain.errors import DeskError, Invalid, TooManyAttempts
from webapp.domain.text import Address, Line, Strict, unstorable
from webapp.services.desk import Desk
from webapp.store import admin_log, people
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.people import Person

ROLES = ("staff", "admin")
PASSWORD_AT_LEAST = 12
"""Characters (NIST SP 800-63B asks for 8 at least, and recommends 15 without a second factor)."""
PASSWORD_AT_MOST = 500
FAILURES_OF_ADDRESS = 10
FAILURES_OF_HOST = 50

_hasher = PasswordHasher()


@cache
def _nobody() -> str:
    """What the password of an unknown address is compared with: it takes as long as another's.

    Made when somebody first signs in, whoever it is: a tenth of a second at each start was a lot.
    """
    return _hasher.hash("nobody has this password")


class SignInFailed(DeskError):
    """The address or the password is wrong."""

    code = "sign_in_failed"


class NewPerson(Strict):
    """What is asked of one."""

    email: Address
    name: Line


def add_person(desk: Desk, *, email: str, name: str | None, role: str, password: str) -> None:
    """A new person, by the command line. Raises Invalid (bad or taken address, role, password)."""
    new = validated(NewPerson, {"email": email, "name": name or email.partition("@")[0]})
    check_role(role)
    kept = hashed(password)

    def work(tx: Tx) -> bool:
        added = people.add(tx, email=new.email, name=new.name, role=role, password_hash=kept)
        if added:
            admin_log.note(tx, Area.PEOPLE, new.email.lower(), f"added as {role}", "command")
        return added

    if not desk.db.transact(work):
        raise taken(new.email)


def check_role(role: str) -> None:
    """Raises Invalid."""
    if role not in ROLES:
        raise Invalid.field("/role", f"must be one of {', '.join(ROLES)}")


def hashed(password: str) -> str:
    """What is kept of a password. Raises Invalid where it is too short or too long."""
    if not PASSWORD_AT_LEAST <= len(password) <= PASSWORD_AT_MOST:
        raise Invalid.field(
            "/password", f"needs {PASSWORD_AT_LEAST} to {PASSWORD_AT_MOST} characters"
        )
    return _hasher.hash(password)


def taken(email: str) -> Invalid:
    """The refusal of an address that somebody has."""
    return Invalid.field("/email", f"{email} is taken")


def sign_in(desk: Desk, *, email: str, password: str, host: str) -> str:
    """A session's token. Raises SignInFailed, TooManyAttempts, Unavailable.

    Failures are counted per address and per host, in the database: for all processes.
    """
    if list(unstorable(email)):
        email = ""
    subjects = {
        f"email:{email.lower()[:254]}": FAILURES_OF_ADDRESS,
        f"host:{host}": FAILURES_OF_HOST,
    }
    with desk.db.read() as tx:
        if any(people.failures(tx, subject) >= most for subject, most in subjects.items()):
            raise TooManyAttempts("Too many failed sign-ins: wait 15 minutes, or ask an admin.")
        known = people.by_email(tx, email)
    kept, nobody = known[1] if known else "", _nobody()
    if not _matches(kept or nobody, password) or known is None or not kept:
        desk.db.transact(lambda tx: _note(tx, list(subjects)))
        raise SignInFailed("This address and password do not belong together.")
    person = known[0]
    return desk.db.transact(lambda tx: people.open_session(tx, person))


def sign_out(desk: Desk, token: str) -> None:
    """End the session for good."""
    desk.db.transact(lambda tx: people.close_session(tx, token))


def who(desk: Desk, token: str) -> Person | None:
    """Whose session it is."""
    with desk.db.read() as tx:
        return people.by_session(tx, token)


def ended(desk: Desk, ids: Collection[str]) -> set[str]:
    """Those of these session ids that are over: their screens have to go."""
    with desk.db.read() as tx:
        return people.ended_sessions(tx, ids)


def _note(tx: Tx, subjects: list[str]) -> None:
    people.forget_old(tx)
    for subject in subjects:
        people.note_failure(tx, subject)


def _matches(hashed: str, password: str) -> bool:
    # An unknown address costs a hash too, so that time does not tell who is known.
    try:
        given = password[:PASSWORD_AT_MOST].encode(errors="surrogatepass")
        return _hasher.verify(hashed, given)
    except VerificationError:
        return False
