"""Drafts that join an action

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

from webapp.store import ddl

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("action", sa.Column("merge_key", sa.String(length=200), nullable=True))
    op.add_column("action", sa.Column("merge_scope", sa.String(length=64), nullable=True))
    op.add_column("action", sa.Column("merges", sa.Integer(), server_default="0", nullable=False))
    op.add_column(
        "action", sa.Column("payload_version", sa.Integer(), server_default="1", nullable=False)
    )
    op.create_index(
        "ix_action_joinable",
        "action",
        ["merge_scope", "id"],
        unique=False,
        sqlite_where=sa.text("merge_scope IS NOT NULL AND state = 'scheduled'"),
        postgresql_where=sa.text("merge_scope IS NOT NULL AND state = 'scheduled'"),
    )
    op.create_table(
        "part",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("action", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(length=100), nullable=False),
        sa.Column("draft_key", sa.String(length=255), nullable=True),
        sa.Column("draft_hash", sa.String(length=64), nullable=True),
        sa.Column("drafted_by", sa.String(length=300), nullable=False),
        sa.Column("drafted_at", sa.BigInteger(), nullable=False),
        sa.Column("order_ref", sa.String(length=200), nullable=True),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["action"], ["action.id"], name=op.f("fk_part_action")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_part")),
    )
    op.create_index("uq_part_action_number", "part", ["action", "number"], unique=True)
    op.create_index("uq_part_draft_key", "part", ["agent", "draft_key"], unique=True)
    dialect = op.get_bind().dialect.name
    merging = ddl.MERGING_POSTGRESQL if dialect == "postgresql" else ddl.MERGING_SQLITE
    for statement in merging:
        op.execute(statement)
