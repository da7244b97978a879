"""The tables of who may do something: agents, people, sessions."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, String, Table

from webapp.store.columns import at, metadata

agent = Table(
    "agent",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("scopes", String(100), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    at("created_at", nullable=False),
    at("revoked_at"),
)

person = Table(
    "person",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("name", String(200), nullable=False),
    Column("role", String(10), nullable=False),
    Column("password_hash", String(200), nullable=False),
    at("created_at", nullable=False),
    CheckConstraint("role IN ('staff','admin')", name="role"),
)

session = Table(
    "session",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    at("created_at", nullable=False),
    at("expires_at", nullable=False),
    Index("ix_session_expires_at", "expires_at"),
)

login_failure = Table(
    "login_failure",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("subject", String(300), nullable=False),
    at("at", nullable=False),
    Index("ix_login_failure_subject_at", "subject", "at"),
)
