"""What people read: counted half hours, preferences, links taken back, and what was pruned

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "follower",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("cursor", sa.String(length=40), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_follower")),
    )
    op.create_table(
        "report_cell",
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("agent", sa.String(length=100), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("slot", "kind", "agent", name=op.f("pk_report_cell")),
    )
    op.create_table(
        "preference",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_preference_person_id_person")
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_preference")),
    )
    op.add_column("action", sa.Column("link", sa.Integer(), server_default="0", nullable=False))
    op.add_column("action", sa.Column("pruned_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "desk",
        sa.Column("pruned_until", sa.BigInteger(), server_default="0", nullable=False),
    )
