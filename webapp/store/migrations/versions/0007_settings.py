"""What admins change on pages: who left, links that set a password, tokens made anew, versions

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

from webapp.store import ddl

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agent", sa.Column("token_at", sa.BigInteger(), nullable=True))
    op.add_column("person", sa.Column("deactivated_at", sa.BigInteger(), nullable=True))
    op.add_column("policy_change", sa.Column("restores", sa.Integer(), nullable=True))
    op.create_table(
        "invitation",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invitation_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_table(
        "admin_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("area", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("did", sa.Text(), nullable=False),
        sa.Column("changed_by", sa.String(length=300), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_admin_change")),
    )
    op.create_index("ix_admin_change_area", "admin_change", ["area", "id"])
    dialect = op.get_bind().dialect.name
    kept = ddl.KEPT_POSTGRESQL if dialect == "postgresql" else ddl.KEPT_SQLITE
    for statement in kept:
        op.execute(statement)
