"""What `doctor` looks at. Each check answers, whatever it meets."""

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import make_url

from webapp import secret_key
from webapp.cli.opening import check_version, open_database, read_settings
from webapp.cli.program import Refused, refusal
from webapp.config import KEY_AT_LEAST, ConfigError, Settings, variable
from webapp.connectors import registry
from webapp.domain.times import SECOND, to_rfc3339
from webapp.paths import INSTANCE
from webapp.services import prune
from webapp.services.desk import Desk
from webapp.store import heartbeats, migrate
from webapp.store.engine import Database
from webapp.store.opening import sqlite_module, wal_is_sound

CLOCK_OFF_AT_MOST = SECOND
"""Between this host and PostgreSQL: more, and countdowns are visibly wrong."""
BEAT_AGE_AT_MOST = 30 * SECOND
OVERDUE_AT_MOST = 60 * SECOND
RETENTION_LATE_AT_MOST = 2 * prune.DAY
_KEY_FILE = "secret.key"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    about: str
    ok: bool
    says: str


def run() -> Iterator[Finding]:
    """Every finding, in the order in which one would repair."""
    try:
        settings = read_settings()
    except ConfigError as problem:
        yield Finding("settings", False, str(problem))
        return
    yield Finding("settings", True, "understood")
    yield from _database(settings)
    yield _checked("secret key", lambda: _secret(settings))
    yield _checked("SQLite", _sqlite)
    troubles = registry.check(settings)
    if troubles:
        yield from (Finding("connectors", False, trouble) for trouble in troubles)
    else:
        names = {connector.name for connector in registry.connectors(settings).values()}
        unsigned = "" if settings.webhook_secret else " (webhooks unsigned: no secret is set)"
        yield Finding("connectors", True, ", ".join(sorted(names)) + unsigned)


def _database(settings: Settings) -> Iterator[Finding]:
    shown = make_url(settings.database_url).render_as_string(hide_password=True)
    try:
        with open_database(settings) as db:
            check_version(db)
            yield Finding("database", True, f"{shown}, version {migrate.wanted()}")
            yield _checked("clock", lambda: _clock(db))
            yield _checked("worker", lambda: _worker(db))
            yield _checked("retention", lambda: _retention(Desk(db, settings)))
    except Exception as problem:
        reason = _reason(problem)
        if reason is None:
            raise
        yield Finding("database", False, reason)


def _checked(about: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(about, True, check())
    except Exception as problem:
        reason = _reason(problem)
        if reason is None:
            raise
        return Finding(about, False, reason)


def _reason(problem: Exception) -> str | None:
    """None where it is no finding but a fault of the program."""
    reason = problem.message if isinstance(problem, Refused) else refusal(problem)
    return reason and " ".join(reason.split())


def _clock(db: Database) -> str:
    if db.dialect == "sqlite":
        return "this host's decides"
    offset = db.measure_offset()
    if abs(offset) > CLOCK_OFF_AT_MOST:
        raise Refused(f"the database's, which decides, is {offset / SECOND:+.3f} s off this host's")
    return f"the database's decides, {offset / SECOND:+.3f} s off this host's"


def _worker(db: Database) -> str:
    with db.read() as tx:
        health = heartbeats.health(tx)
    overdue = health.overdue or 0
    if health.worker_age is None:
        if overdue > OVERDUE_AT_MOST:
            raise Refused(f"none runs, and an action is overdue by {overdue // SECOND} s")
        return "none runs; nothing is overdue"
    if health.worker_age > BEAT_AGE_AT_MOST:
        age = health.worker_age // SECOND
        raise Refused(f"the last sign of life is {age} s old: it did not end in good order")
    return f"last sign of life {health.worker_age // SECOND} s ago"


def _retention(desk: Desk) -> str:
    days, now = desk.settings.retention_days, prune.retention(desk)
    kept = f"{days} day{'s' if days > 1 else ''}"
    if now.behind > RETENTION_LATE_AT_MOST:
        late = now.behind // prune.DAY
        raise Refused(f"{kept}, and personal data is kept {late} days beyond: a worker removes it")
    if not now.reach.until:
        return f"{kept}; nothing is that old yet"
    return f"{kept}; what ended before {to_rfc3339(now.reach.until)} is without personal data"


def _secret(settings: Settings) -> str:
    file = INSTANCE / _KEY_FILE
    if settings.secret_key:
        key, where = settings.secret_key, variable("secret_key")
    elif not file.exists():
        return f"none yet; serve on loopback makes {file}"
    else:
        key, where = secret_key.read_or_make(), str(file)
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            raise Refused(f"{file} can be read by others (mode {mode:04o}): chmod 600 {file}")
    if len(key) < KEY_AT_LEAST:
        raise Refused(f"{where} is shorter than {KEY_AT_LEAST} characters")
    return f"from {where}"


def _sqlite() -> str:
    module = sqlite_module()
    driver = "the pysqlite3 wheel" if module.__name__ == "pysqlite3" else "Python's own"
    sound = wal_is_sound(module.sqlite_version_info)
    journal = "its WAL is sound" if sound else "its WAL is not sound, so a rollback journal is used"
    return f"{module.sqlite_version} ({driver}): {journal}"
