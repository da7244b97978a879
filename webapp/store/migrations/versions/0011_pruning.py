"""What has ended may be emptied, once and for good

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

from webapp.store import ddl

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    told = sa.text("(customer_ref IS NOT NULL OR order_ref IS NOT NULL OR note IS NOT NULL)")
    op.create_index(
        "ix_signal_at",
        "signal",
        ["at"],
        unique=False,
        sqlite_where=told,
        postgresql_where=told,
    )
    dialect = op.get_bind().dialect.name
    pruning = ddl.PRUNING_POSTGRESQL if dialect == "postgresql" else ddl.PRUNING_SQLITE
    for statement in pruning:
        op.execute(statement)
