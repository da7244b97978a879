"""Signals, and the orders of joined drafts

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "signal",
        sa.Column("request_key", sa.String(length=64), nullable=False),
        sa.Column("said_hash", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("customer_ref", sa.String(length=200), nullable=True),
        sa.Column("order_ref", sa.String(length=200), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("sent_by", sa.String(length=300), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("request_key", name=op.f("pk_signal")),
    )
    op.create_index("ix_part_order_ref", "part", ["order_ref"], unique=False)
