"""The tables behind what people read: what was counted, and who likes it how."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, String, Table, Text

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
