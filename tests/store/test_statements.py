"""Every statement built once at module level can be found in SQLAlchemy's compiled cache.

DESIGN, Hot path: 3.4 times slower with the compiled cache lost.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import ClauseElement, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import Executable

import webapp.store
from tests.store.rows import ANA, claim_all, end, put
from webapp.domain.times import SECOND
from webapp.store import arrow, batches, transitions
from webapp.store.engine import Database


def _found(name: str, value: Any) -> Iterator[tuple[str, ClauseElement]]:
    if isinstance(value, ClauseElement) and isinstance(value, Executable):
        yield name, value
    elif isinstance(value, arrow.Arrow):
        yield f"{name}.update", value._update.statement
        yield f"{name}.together", value._together.statement
    elif isinstance(value, batches.Take):
        yield f"{name}.sqlite", value.sqlite
        yield f"{name}.postgresql", value.postgresql


def _statements() -> dict[str, ClauseElement]:
    found: dict[str, ClauseElement] = {}
    for module in pkgutil.iter_modules(webapp.store.__path__, "webapp.store."):
        if module.ispkg:
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            found |= dict(_found(f"{module.name}.{name}", value))
    return found


STATEMENTS = _statements()


def test_there_are_statements_to_look_at() -> None:
    """The search below finds what it is meant to find."""
    assert {"webapp.store.transitions._CANCEL.update", "webapp.store.batches.CLAIM.postgresql"} <= (
        STATEMENTS.keys()
    )
    assert len(STATEMENTS) > 60


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_statement_has_a_cache_key(name: str) -> None:
    """Two runs of one statement compile once."""
    statement = STATEMENTS[name]
    key = statement._generate_cache_key()
    assert key is not None
    again = statement._generate_cache_key()
    assert again is not None
    assert key.key == again.key


def test_a_second_round_compiles_nothing(database: Database) -> None:
    """As above, where it counts: draft, claim, finish, cancel."""
    compiled: list[str] = []

    def count(_conn: Any, _cursor: Any, statement: str, _p: Any, context: Any, _many: Any) -> None:
        # What runs as text (store/hot.py) was compiled once and is not SQLAlchemy's to look up.
        missed = context.cache_hit.name in ("CACHE_MISS", "NO_CACHE_KEY", "NO_DIALECT_SUPPORT")
        if context.compiled is not None and missed:
            compiled.append(statement)

    def round_of_all() -> None:
        one, other = put(database), put(database, due=60 * SECOND)
        claim_all(database)
        end(database, one, effect="{}")
        database.transact(lambda tx: transitions.cancel(tx, other, ANA, "k"))

    for _ in range(2):
        round_of_all()
    for engine in {database._auto, database._writing}:
        event.listen(engine, "before_cursor_execute", count)
    round_of_all()
    assert compiled == []


def test_dialects_differ_only_where_they_say_so() -> None:
    """House: one code base; what compiles for one database only is named after it."""
    only = ("postgresql", "sqlite", "together")
    for name, statement in STATEMENTS.items():
        if not any(word in name.lower() for word in only):
            for dialect in (postgresql.dialect(), sqlite.dialect()):  # type: ignore[no-untyped-call]
                assert str(statement.compile(dialect=dialect))
