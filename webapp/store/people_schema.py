"""The tables of who may do something: agents, people, sessions, and what admins changed."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, String, Table, Text

from webapp.store.columns import at, metadata

agent = Table(
    "agent",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("scopes", String(100), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    at("created_at", nullable=False),
    # When the token was made that holds now; null: with the agent.
    at("token_at"),
    at("revoked_at"),
)

person = Table(
    "person",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("name", String(200), nullable=False),
    Column("role", String(10), nullable=False),
    # Empty until they have set one.
    Column("password_hash", String(200), nullable=False),
    at("created_at", nullable=False),
    # Never deleted: events and views name people for years.
    at("deactivated_at"),
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

invitation = Table(
    "invitation",
    metadata,
    # A link by which one person sets a password, once. A new one replaces it.
    Column("person_id", Integer, ForeignKey("person.id"), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    at("expires_at", nullable=False),
)

admin_change = Table(
    "admin_change",
    metadata,
    # Who changed what that is no policy: people, agents, flags, stock, pauses. For ever.
    Column("id", Integer, primary_key=True),
    Column("area", String(20), nullable=False),
    Column("subject", String(300), nullable=False),
    Column("did", Text, nullable=False),
    Column("changed_by", String(300), nullable=False),
    at("changed_at", nullable=False),
    Index("ix_admin_change_area", "area", "id"),
)

login_failure = Table(
    "login_failure",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("subject", String(300), nullable=False),
    at("at", nullable=False),
    Index("ix_login_failure_subject_at", "subject", "at"),
)
