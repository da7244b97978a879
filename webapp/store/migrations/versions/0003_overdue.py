"""What a crash leaves behind: overdue rows, late results, questions, and which database it is

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
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
    op.create_table(
        "attempt_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=36), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["action"], ["action.id"], name=op.f("fk_attempt_log_action")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt_log")),
    )
    op.create_index(
        "uq_attempt_log_attempt", "attempt_log", ["action", "attempt", "worker"], unique=True
    )
    op.add_column("desk", sa.Column("identity", sa.String(length=32), nullable=True))
    op.add_column("desk", sa.Column("server", sa.String(length=100), nullable=True))
    op.add_column(
        "desk", sa.Column("life", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    )
