"""The tables of the running itself: who works, and how the races on this database ended."""

from sqlalchemy import BigInteger, Column, Integer, String, Table, Text

from webapp.store.columns import at, metadata

self_test = Table(
    "self_test",
    metadata,
    # How races on this installation's own database ended (services/self_test.py).
    Column("id", Integer, primary_key=True),
    at("tested_at", nullable=False),
    Column("tested_by", String(300), nullable=False),
    Column("trials", Integer, nullable=False),
    Column("cancelled", Integer, nullable=False),
    Column("executed", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    # What was wrong with the first of them, or with the test itself.
    Column("fault", Text),
    Column("took", BigInteger, nullable=False),
)

heartbeat = Table(
    "heartbeat",
    metadata,
    Column("worker", String(100), primary_key=True),
    at("at", nullable=False),
    Column("slots", Integer, nullable=False),
)
