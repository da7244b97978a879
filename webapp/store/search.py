"""The index of words: what every action is found by, newest first.

A follower keeps it (services/searchable.py), so nobody who drafts waits for it. It answers with
what probably matches; the rows have the last word (domain/searching.py).
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Integer,
    String,
    Text,
    bindparam,
    cast,
    column,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY

from webapp.domain.action import Action
from webapp.domain.searching import GAP, Entry, Term, Wanted, entry
from webapp.store import actions, merging
from webapp.store.engine import AnyRow, Tx
from webapp.store.hot import Hot
from webapp.store.lists import among, ids_of
from webapp.store.reading_schema import follower, searched
from webapp.store.schema import action

FOLLOWER = "search"
"""The name of who keeps it."""
_NEIGHBOURS = 7
"""How far from its place an action can stand whose place was taken."""

_RECENT = 20_000
"""Rows that PostgreSQL looks through before it asks its index for everything."""

_words = bindparam("b_words", type_=Text())
_before = bindparam("b_before", type_=BigInteger())
_limit = bindparam("b_limit", type_=Integer())
_index = table("search", column("rowid", BigInteger()), column("search", Text()))
# Differs because SQLite's index is a table of its own, which gives its rows in their order.
_SQLITE = Hot(
    select(searched.c.id)
    .join_from(_index, searched, searched.c.number == _index.c.rowid)
    .where(literal_column("search").op("MATCH")(_words), _index.c.rowid <= _before)
    .order_by(_index.c.rowid.desc())
    .limit(_limit)
)
_query = cast(_words, TSQUERY())
_recent = (
    select(searched)
    .where(searched.c.number <= _before)
    .order_by(searched.c.number.desc())
    .limit(literal_column(str(_RECENT)))
    .subquery()
)
_POSTGRESQL_RECENT = Hot(
    select(_recent.c.id)
    .where(_recent.c.words.op("@@")(_query))
    .order_by(_recent.c.number.desc())
    .limit(_limit)
)
# + 0: in the order of the places it would look through every row for the few that there are.
_place = searched.c.number + literal_column("0")
_POSTGRESQL_ALL = Hot(
    select(searched.c.id)
    .where(searched.c.words.op("@@")(_query), _place <= _before)
    .order_by(_place.desc())
    .limit(_limit)
)
_KNOWN = Hot(select(searched.c.id, searched.c.number).where(among(searched.c.id)))
_places_named: BindParameter[int] = bindparam("numbers", expanding=True)
_TAKEN = select(searched.c.number).where(searched.c.number.in_(_places_named))
_PRUNED = Hot(select(action.c.id).where(among(action.c.id), action.c.pruned_at.is_not(None)))
_TURN = select(follower.c.name).where(follower.c.name == FOLLOWER).with_for_update()
_KEEP_SQLITE = text(
    "INSERT INTO searched (number, id, words) VALUES (:number, :id, :words) "
    "ON CONFLICT (number) DO UPDATE SET words = excluded.words"
)
_KEEP_POSTGRESQL = text(
    "INSERT INTO searched (number, id, words) "
    "SELECT given.number, given.id, given.words::tsvector "
    "FROM unnest(:numbers, :ids, :words) AS given (number, id, words) "
    "ON CONFLICT (number) DO UPDATE SET words = excluded.words"
).bindparams(
    bindparam("numbers", type_=ARRAY(BigInteger)),
    bindparam("ids", type_=ARRAY(String)),
    bindparam("words", type_=ARRAY(Text)),
)
_THESE = "FROM searched WHERE number IN (SELECT value FROM json_each(:numbers))"
_UNINDEX = text(
    f"INSERT INTO search (search, rowid, words) SELECT 'delete', number, words {_THESE}"
)
_INDEX = text(f"INSERT INTO search (rowid, words) SELECT number, words {_THESE}")


def newest(tx: Tx, wanted: Wanted, before: str, limit: int) -> list[str]:
    """The ids of what probably is `wanted`, newest first, from below the id `before`.

    At least one group has to be wanted.
    """
    sqlite = tx.dialect == "sqlite"
    asked = {
        "b_words": _for_sqlite(wanted) if sqlite else _for_postgresql(wanted),
        "b_before": min(_number(before) + _NEIGHBOURS, 2**63 - 1),
        "b_limit": limit + _NEIGHBOURS + 1,
    }
    rows = _SQLITE.all(tx, asked) if sqlite else _postgresql(tx, asked)
    return [row.id for row in rows if row.id < before][:limit]


def _postgresql(tx: Tx, asked: Mapping[str, Any]) -> Sequence[AnyRow]:
    """What is common is among the latest; what is rare is found by the index, whatever it costs.

    Statistics know neither which words go together nor, of a prepared statement, the words.
    """
    found = _POSTGRESQL_RECENT.all(tx, asked)
    if len(found) == asked["b_limit"]:
        return found
    with tx.driver.transaction():
        tx.run("SET LOCAL enable_seqscan = off")
        return _POSTGRESQL_ALL.all(tx, asked)


def entries(tx: Tx, found: Iterable[Action]) -> list[Entry]:
    """What these actions are found by, each with what all its drafts said."""
    those = list(found)
    parts = merging.parts(tx, [one.id for one in those if one.merges])
    said = {
        one: [text for part in joined for text in (part.summary, part.reason, part.order_ref or "")]
        for one, joined in parts.items()
    }
    return [entry(one, said.get(one.id, ())) for one in those]


def read(tx: Tx, ids: Iterable[str]) -> list[Entry]:
    """What these actions are found by, as they are now."""
    return entries(tx, actions.many(tx, ids).values())


def keep(tx: Tx, found: Sequence[Entry]) -> None:
    """From now on they are found by these; not by words that have been taken away meanwhile."""
    if not found:
        return
    latest = {one.id: one for one in found}
    ids = ids_of(tx, latest)
    latest |= {one.id: one for one in read(tx, [row.id for row in _PRUNED.all(tx, ids)])}
    known = {row.id: row.number for row in _KNOWN.all(tx, ids)}
    numbers = known | _places(tx, [one for one in latest if one not in known])
    write = _sqlite_words if tx.dialect == "sqlite" else _postgresql_words
    words = [write(latest[one]) for one in numbers]
    # Differs because SQLite's index must be told which words it is to forget.
    if tx.dialect == "sqlite":
        tx.conn.execute(_UNINDEX, {"numbers": json.dumps(list(known.values()))})
        rows = zip(numbers, numbers.values(), words, strict=True)
        given = [{"id": one, "number": number, "words": said} for one, number, said in rows]
        tx.conn.execute(_KEEP_SQLITE, given)
        tx.conn.execute(_INDEX, {"numbers": json.dumps(list(numbers.values()))})
    else:
        columns = {"ids": list(numbers), "numbers": list(numbers.values()), "words": words}
        tx.conn.execute(_KEEP_POSTGRESQL, columns)


def forget(tx: Tx, ids: Iterable[str]) -> None:
    """No text finds these any more, only what they were.

    For actions that were pruned, in the same transaction and after it has said so. Waits for
    whoever is adding to the index.
    """
    tx.conn.execute(_TURN)
    keep(tx, read(tx, ids))


def _places(tx: Tx, ids: Iterable[str]) -> dict[str, int]:
    """A free place for each new action, in the order of the ids but for neighbours."""
    wished = {one: _number(one) for one in ids}
    taken: set[int] = set(tx.conn.scalars(_TAKEN, {"numbers": list(wished.values())}))
    places = {}
    for one, wish in wished.items():
        free = next(place for place in count(wish) if _is_free(tx, place, wish, taken))
        places[one] = free
        taken.add(free)
    return places


def _is_free(tx: Tx, place: int, wish: int, taken: set[int]) -> bool:
    """`taken` knows of every place that was wished for, and of no other's neighbours."""
    if place in taken:
        return False
    return place == wish or tx.conn.scalars(_TAKEN, {"numbers": [place]}).first() is None


def _number(action_id: str) -> int:
    """The time and the sequence that an id begins with, and three more bits: what fits."""
    value = UUID(action_id).int
    return value >> 80 << 15 | (value >> 61 & 0x7FF8) | value >> 59 & 0x7


def _sqlite_words(found: Entry) -> str:
    return " ".join([*found.words, GAP, *found.marks])


def _postgresql_words(found: Entry) -> str:
    places: dict[str, list[str]] = defaultdict(list)
    for place, word in enumerate(found.words, 1):
        if word != GAP:
            places[word].append(str(place))
    said = [f"'{word}':{','.join(where)}" for word, where in places.items()]
    return " ".join([*said, *(f"'{mark}'" for mark in found.marks)])


def _for_sqlite(wanted: Wanted) -> str:
    def write(term: Term) -> str:
        return f'"{" ".join(term.words)}"{"*" if term.begins else ""}'

    return " AND ".join(f"({' OR '.join(map(write, group))})" for group in wanted)


def _for_postgresql(wanted: Wanted) -> str:
    def write(term: Term) -> str:
        words = " <-> ".join(f"'{word}'" for word in term.words)
        return f"({words}{':*' if term.begins else ''})"

    return " & ".join(f"({' | '.join(map(write, group))})" for group in wanted)
