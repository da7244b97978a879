"""The desk

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

from webapp.store import ddl

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "action",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("previous_state", sa.String(length=20), nullable=True),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("payload_hash", sa.String(length=64), nullable=False),
        sa.Column("amount_value", sa.BigInteger(), nullable=True),
        sa.Column("amount_currency", sa.String(length=3), nullable=True),
        sa.Column("customer", sa.Text(), nullable=False),
        sa.Column("customer_ref", sa.String(length=200), nullable=False),
        sa.Column("order_ref", sa.String(length=200), nullable=True),
        sa.Column("agent", sa.String(length=100), nullable=False),
        sa.Column("drafted_by", sa.String(length=300), nullable=False),
        sa.Column("drafted_at", sa.BigInteger(), nullable=False),
        sa.Column("not_before_at", sa.BigInteger(), nullable=True),
        sa.Column("draft_key", sa.String(length=255), nullable=True),
        sa.Column("draft_hash", sa.String(length=64), nullable=True),
        sa.Column("window", sa.BigInteger(), nullable=False),
        sa.Column("margin", sa.BigInteger(), nullable=False),
        sa.Column("extended", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cancel_by", sa.BigInteger(), nullable=True),
        sa.Column("execute_at", sa.BigInteger(), nullable=True),
        sa.Column("claimable_at", sa.BigInteger(), nullable=True),
        sa.Column("held_left", sa.BigInteger(), nullable=True),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("blockers", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "has_dependants", sa.Boolean(), server_default=sa.text("(false)"), nullable=False
        ),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=True),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("cancelled_by", sa.String(length=300), nullable=True),
        sa.Column("cancelled_at", sa.BigInteger(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("cancel_key", sa.String(length=255), nullable=True),
        sa.Column("late_cancel_by", sa.String(length=300), nullable=True),
        sa.Column("late_cancel_at", sa.BigInteger(), nullable=True),
        sa.Column("late_cancel_reason", sa.Text(), nullable=True),
        sa.Column("state_by", sa.String(length=300), nullable=False),
        sa.Column("state_reason", sa.Text(), nullable=True),
        sa.Column("effect", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("reserved_until", sa.BigInteger(), nullable=True),
        sa.Column("renewals", sa.Integer(), server_default="0", nullable=False),
        sa.Column("compensates", sa.String(length=36), nullable=True),
        sa.Column("again_of", sa.String(length=36), nullable=True),
        sa.Column("first_viewed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(state = 'cancelled') = (cancelled_at IS NOT NULL AND cancelled_by IS NOT NULL)",
            name=op.f("ck_action_cancelled"),
        ),
        sa.CheckConstraint(
            "(state IN ('cancelled','executed','failed','rejected')) = (finished_at IS NOT NULL)",
            name=op.f("ck_action_finished"),
        ),
        sa.CheckConstraint(
            "state <> 'executing' OR (lease_until IS NOT NULL AND worker IS NOT NULL)",
            name=op.f("ck_action_leased"),
        ),
        sa.CheckConstraint(
            "state <> 'scheduled' OR execute_at IS NOT NULL", name=op.f("ck_action_scheduled")
        ),
        sa.CheckConstraint(
            "state IN ('awaiting_approval','cancelled','executed','executing','failed',"
            "'held','rejected','scheduled','unknown')",
            name=op.f("ck_action_state"),
        ),
        sa.CheckConstraint(
            "(amount_value IS NULL) = (amount_currency IS NULL)", name=op.f("ck_action_currency")
        ),
        sa.CheckConstraint(
            "amount_value IS NULL OR amount_value > 0", name=op.f("ck_action_amount")
        ),
        sa.CheckConstraint(
            "version >= 1 AND attempt >= 0 AND blockers >= 0", name=op.f("ck_action_counts")
        ),
        sa.ForeignKeyConstraint(["again_of"], ["action.id"], name=op.f("fk_action_again_of")),
        sa.ForeignKeyConstraint(["compensates"], ["action.id"], name=op.f("fk_action_compensates")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action")),
    )
    op.create_index(
        "ix_action_asking",
        "action",
        ["state", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('awaiting_approval','held','unknown')"),
        postgresql_where=sa.text("state IN ('awaiting_approval','held','unknown')"),
    )
    op.create_index(
        "ix_action_unsettled",
        "action",
        ["finished_at"],
        unique=False,
        sqlite_where=sa.text("state = 'failed' OR late_cancel_at IS NOT NULL"),
        postgresql_where=sa.text("state = 'failed' OR late_cancel_at IS NOT NULL"),
    )
    op.create_index(
        "ix_action_again_of",
        "action",
        ["again_of"],
        unique=False,
        sqlite_where=sa.text("again_of IS NOT NULL"),
        postgresql_where=sa.text("again_of IS NOT NULL"),
    )
    op.create_index("ix_action_agent", "action", ["agent", "id"], unique=False)
    op.create_index(
        "ix_action_cancel_key",
        "action",
        ["cancel_key"],
        unique=False,
        sqlite_where=sa.text("cancel_key IS NOT NULL"),
        postgresql_where=sa.text("cancel_key IS NOT NULL"),
    )
    op.create_index(
        "ix_action_claimable",
        "action",
        ["execute_at", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'scheduled' AND blockers = 0"),
        postgresql_where=sa.text("state = 'scheduled' AND blockers = 0"),
    )
    op.create_index(
        "ix_action_compensates",
        "action",
        ["compensates"],
        unique=False,
        sqlite_where=sa.text("compensates IS NOT NULL"),
        postgresql_where=sa.text("compensates IS NOT NULL"),
    )
    op.create_index("ix_action_customer", "action", ["customer_ref", "id"], unique=False)
    op.create_index("ix_action_finished_at", "action", ["finished_at"], unique=False)
    op.create_index(
        "ix_action_lease",
        "action",
        ["lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'executing'"),
        postgresql_where=sa.text("state = 'executing'"),
    )
    op.create_index(
        "ix_action_open",
        "action",
        ["execute_at", "id"],
        unique=False,
        sqlite_where=sa.text("state NOT IN ('cancelled','executed','failed','rejected')"),
        postgresql_where=sa.text("state NOT IN ('cancelled','executed','failed','rejected')"),
    )
    op.create_index("ix_action_order", "action", ["order_ref", "id"], unique=False)
    op.create_index(
        "ix_action_reserved",
        "action",
        ["reserved_until"],
        unique=False,
        sqlite_where=sa.text(
            "reserved_until IS NOT NULL AND state IN ('awaiting_approval','held','scheduled')"
        ),
        postgresql_where=sa.text(
            "reserved_until IS NOT NULL AND state IN ('awaiting_approval','held','scheduled')"
        ),
    )
    op.create_index("uq_action_draft_key", "action", ["agent", "draft_key"], unique=True)
    op.create_index(
        "uq_action_live_again",
        "action",
        ["again_of"],
        unique=True,
        sqlite_where=sa.text(
            "again_of IS NOT NULL AND state NOT IN ('cancelled','failed','rejected')"
        ),
        postgresql_where=sa.text(
            "again_of IS NOT NULL AND state NOT IN ('cancelled','failed','rejected')"
        ),
    )
    op.create_index(
        "uq_action_live_compensation",
        "action",
        ["compensates", "kind"],
        unique=True,
        sqlite_where=sa.text(
            "compensates IS NOT NULL AND state NOT IN ('cancelled','failed','rejected')"
        ),
        postgresql_where=sa.text(
            "compensates IS NOT NULL AND state NOT IN ('cancelled','failed','rejected')"
        ),
    )
    op.create_table(
        "agent",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("scopes", sa.String(length=100), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_agent")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_agent_token_hash")),
    )
    op.create_table(
        "customer_flag",
        sa.Column("ref", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("flagged_by", sa.String(length=300), nullable=False),
        sa.Column("flagged_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ref", name=op.f("pk_customer_flag")),
    )
    op.create_table(
        "desk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_desk_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_desk")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("txid", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("action", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("verb", sa.String(length=40), nullable=False),
        sa.Column("from_state", sa.String(length=20), nullable=True),
        sa.Column("to_state", sa.String(length=20), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=300), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("request_key", sa.String(length=255), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_action", "event", ["action", "id"], unique=False)
    op.create_index("ix_event_order", "event", ["txid", "id"], unique=False)
    op.create_table(
        "heartbeat",
        sa.Column("worker", sa.String(length=100), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("worker", name=op.f("pk_heartbeat")),
    )
    op.create_table(
        "login_failure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failure")),
    )
    op.create_index("ix_login_failure_subject_at", "login_failure", ["subject", "at"], unique=False)
    op.create_table(
        "pause",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(length=100), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("paused_by", sa.String(length=300), nullable=False),
        sa.Column("paused_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pause")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('staff','admin')", name=op.f("ck_person_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
    )
    op.create_table(
        "policy",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("changed_by", sa.String(length=300), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_policy")),
    )
    op.create_table(
        "policy_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("changed_by", sa.String(length=300), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policy_change")),
    )
    op.create_table(
        "stock",
        sa.Column("sku", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=500), server_default="", nullable=False),
        sa.Column("available", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("available >= 0", name=op.f("ck_stock_available")),
        sa.PrimaryKeyConstraint("sku", name=op.f("pk_stock")),
    )
    op.create_table(
        "dependency",
        sa.Column("child", sa.String(length=36), nullable=False),
        sa.Column("parent", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["child"], ["action.id"], name=op.f("fk_dependency_child")),
        sa.ForeignKeyConstraint(["parent"], ["action.id"], name=op.f("fk_dependency_parent")),
        sa.PrimaryKeyConstraint("child", "parent", name=op.f("pk_dependency")),
    )
    op.create_index("ix_dependency_parent", "dependency", ["parent"], unique=False)
    op.create_table(
        "reservation",
        sa.Column("action", sa.String(length=36), nullable=False),
        sa.Column("sku", sa.String(length=200), nullable=False),
        sa.Column("quantity", sa.BigInteger(), nullable=False),
        sa.Column("reserved_at", sa.BigInteger(), nullable=False),
        sa.Column("released_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("quantity > 0", name=op.f("ck_reservation_quantity")),
        sa.ForeignKeyConstraint(["action"], ["action.id"], name=op.f("fk_reservation_action")),
        sa.ForeignKeyConstraint(["sku"], ["stock.sku"], name=op.f("fk_reservation_sku")),
        sa.PrimaryKeyConstraint("action", name=op.f("pk_reservation")),
    )
    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_session_person_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_session")),
    )
    op.create_index("ix_session_expires_at", "session", ["expires_at"], unique=False)
    op.create_table(
        "view",
        sa.Column("action", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["action"], ["action.id"], name=op.f("fk_view_action")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_view_person_id")),
        sa.PrimaryKeyConstraint("action", "person_id", "version", name=op.f("pk_view")),
    )
    dialect = op.get_bind().dialect.name
    for statement in ddl.POSTGRESQL if dialect == "postgresql" else ddl.SQLITE:
        op.execute(statement)
    op.execute("INSERT INTO desk (id, revision) VALUES (1, 1)")
