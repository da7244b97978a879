"""Actions that need eyes, and approvals that expire

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "action", sa.Column("unseen", sa.Boolean(), nullable=False, server_default=sa.text("false"))
    )
    op.add_column("action", sa.Column("approve_by", sa.BigInteger(), nullable=True))
    waits = sa.text("state = 'awaiting_approval'")
    op.create_index(
        "ix_action_approve_by", "action", ["approve_by"], sqlite_where=waits, postgresql_where=waits
    )
    # What waits already was not told of an end: it gets the default from now on.
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "UPDATE action SET approve_by = (CAST(extract(epoch FROM now()) AS BIGINT) + 86400) "
            "* 1000000 WHERE state = 'awaiting_approval'"
        )
    else:
        op.execute(
            "UPDATE action SET approve_by = (CAST(strftime('%s', 'now') AS BIGINT) + 86400) "
            "* 1000000 WHERE state = 'awaiting_approval'"
        )
