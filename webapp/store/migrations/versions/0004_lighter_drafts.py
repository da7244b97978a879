"""Indexes that a draft need not pay for: it has not finished, and SQLite's events have one order

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    ended = sa.text("finished_at IS NOT NULL")
    op.drop_index("ix_action_finished_at", "action")
    op.create_index(
        "ix_action_finished_at",
        "action",
        ["finished_at"],
        sqlite_where=ended,
        postgresql_where=ended,
    )
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_event_order", "event")
        op.create_index("ix_event_order", "event", ["txid", "id"], sqlite_where=sa.text("txid > 0"))
