"""How races on the installation's own database ended

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "self_test",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tested_at", sa.BigInteger(), nullable=False),
        sa.Column("tested_by", sa.String(length=300), nullable=False),
        sa.Column("trials", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Integer(), nullable=False),
        sa.Column("executed", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.Column("took", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_self_test")),
    )
