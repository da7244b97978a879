"""How long an action may be overdue, when the provider is asked, and which database this is

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    hour = sa.text("3600000000")
    op.add_column(
        "action", sa.Column("overdue_after", sa.BigInteger(), nullable=False, server_default=hour)
    )
    op.add_column("action", sa.Column("look_at", sa.BigInteger(), nullable=True))
    there = sa.text("look_at IS NOT NULL")
    op.create_index(
        "ix_action_look", "action", ["look_at"], sqlite_where=there, postgresql_where=there
    )
    op.execute(
        "UPDATE action SET look_at = 0 WHERE state = 'unknown' "
        "OR (state = 'executed' AND effect LIKE '%\"status\": \"submitted\"%')"
    )
    op.add_column("desk", sa.Column("identity", sa.String(length=32), nullable=True))
    op.add_column("desk", sa.Column("server", sa.String(length=100), nullable=True))
    op.add_column(
        "desk", sa.Column("life", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    )
