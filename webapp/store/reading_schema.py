"""The tables behind what people read: what was counted, and who likes it how."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text
from sqlalchemy.dialects.postgresql import TSVECTOR

from webapp.store.columns import at, metadata
from webapp.store.people_schema import person

follower = Table(
    "follower",
    metadata,
    # How far somebody who digests the events has come (store/followers.py).
    Column("name", String(40), primary_key=True),
    Column("cursor", String(40), nullable=False),
    at("moved_at", nullable=False),
)

report_cell = Table(
    "report_cell",
    metadata,
    # What happened in one half hour to the actions of one kind and agent, counted from events.
    Column("slot", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(40), primary_key=True),
    Column("agent", String(100), primary_key=True),
    Column("body", Text, nullable=False),
)

preference = Table(
    "preference",
    metadata,
    # How one person wants the desk: zone, keys, density, time. Defaults where there is no row.
    Column("person_id", Integer, ForeignKey(person.c.id), primary_key=True),
    Column("body", Text, nullable=False),
    at("changed_at", nullable=False),
)

searched = Table(
    "searched",
    metadata,
    # What an action is found by (store/search.py): a rank in the order of the ids, for SQLite's
    # index, which knows rows by number, and the words. That index, and PostgreSQL's, stand in the
    # migration alone: no other place could say both.
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", String(36), nullable=False),
    Column("words", Text().with_variant(TSVECTOR(), "postgresql"), nullable=False),
    Index("uq_searched_id", "id", unique=True),
)
