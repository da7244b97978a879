"""The tables. Times are integer UTC microseconds, JSON is text, states come from the enum."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    text,
)

from webapp.domain.states import CANCELLABLE, RAN_OUT, TERMINAL, State
from webapp.store.columns import at, metadata, quoted
from webapp.store.people_schema import person

OPEN = text(f"state NOT IN ({quoted(TERMINAL)})")
"""The predicate of the open rows' index; the feed repeats it."""

ASKING = text("state IN ('awaiting_approval','held','unknown')")
"""Waits for a person. The feed repeats it."""

WAITING = text("state = 'awaiting_approval'")
"""The predicate of the index by which approvals expire; the expiry repeats it."""

UNSETTLED = text("state = 'failed' OR late_cancel_at IS NOT NULL")
"""Ended, or may end, in a way that somebody should look at. The feed repeats it."""

JOINABLE = text("merge_scope IS NOT NULL AND state = 'scheduled'")
"""The predicate of the index that finds what a draft may join."""

CLAIMABLE = text("state = 'scheduled' AND blockers = 0")
"""The predicate of the claim's index; the claim repeats it word for word."""

TOLD = text("(customer_ref IS NOT NULL OR order_ref IS NOT NULL OR note IS NOT NULL)")
"""Says whom a signal was about. The retention repeats it."""

action = Table(
    "action",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("state", String(20), nullable=False),
    Column("previous_state", String(20)),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("summary", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("payload_hash", String(64), nullable=False),
    Column("amount_value", BigInteger),
    Column("amount_currency", String(3)),
    Column("customer", Text, nullable=False),
    Column("customer_ref", String(200), nullable=False),
    Column("order_ref", String(200)),
    # No foreign key: agents are revoked, never deleted, and every draft of one agent would share
    # a lock on its row.
    Column("agent", String(100), nullable=False),
    Column("drafted_by", String(300), nullable=False),
    at("drafted_at", nullable=False),
    at("not_before_at"),
    Column("draft_key", String(255)),
    Column("draft_hash", String(64)),
    Column("merge_key", String(200)),
    # Null also where no further draft may join: it waits for others, or a person decided on it.
    Column("merge_scope", String(64)),
    Column("merges", Integer, nullable=False, server_default="0"),
    # The version at which the payload last changed: who saw an older one has not seen this one.
    Column("payload_version", Integer, nullable=False, server_default="1"),
    Column("window", BigInteger, nullable=False),
    Column("margin", BigInteger, nullable=False),
    Column("extended", BigInteger, nullable=False, server_default="0"),
    at("cancel_by"),
    at("execute_at"),
    at("claimable_at"),
    # How long after `claimable_at` it may still be claimed, by the policy that drafted it.
    Column(
        "overdue_after", BigInteger, nullable=False, server_default=text(str(3_600 * 1_000_000))
    ),
    # Eyes are needed, and nobody had this payload on screen while that could still matter: the
    # claim refuses it.
    Column("unseen", Boolean, nullable=False, server_default=text("false")),
    # When a draft that waits for a decision is rejected by itself.
    at("approve_by"),
    Column("held_left", BigInteger),
    Column("decision", Text, nullable=False),
    Column("blockers", Integer, nullable=False, server_default="0"),
    Column("has_dependants", Boolean, nullable=False, server_default=text("false")),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("worker", String(100)),
    at("claimed_at"),
    at("lease_until"),
    at("finished_at"),
    Column("cancelled_by", String(300)),
    at("cancelled_at"),
    Column("cancel_reason", Text),
    Column("cancel_key", String(255)),
    Column("late_cancel_by", String(300)),
    at("late_cancel_at"),
    Column("late_cancel_reason", Text),
    Column("state_by", String(300), nullable=False),
    Column("state_reason", Text),
    Column("effect", Text),
    Column("error", Text),
    # From when on the provider is asked what became of it; null: there is nothing to ask.
    at("look_at"),
    at("reserved_until"),
    Column("renewals", Integer, nullable=False, server_default="0"),
    Column("compensates", String(36), ForeignKey("action.id")),
    Column("again_of", String(36), ForeignKey("action.id")),
    at("first_viewed_at"),
    # The generation of the customer's link: one that was signed for an earlier leads nowhere.
    Column("link", Integer, nullable=False, server_default="0"),
    # When its payload and personal data were taken away; what decided its fate stays.
    at("pruned_at"),
    CheckConstraint(f"state IN ({quoted(frozenset(State))})", name="state"),
    CheckConstraint(
        f"(state IN ({quoted(TERMINAL)})) = (finished_at IS NOT NULL)", name="finished"
    ),
    CheckConstraint("state <> 'scheduled' OR execute_at IS NOT NULL", name="scheduled"),
    CheckConstraint(
        "state <> 'executing' OR (lease_until IS NOT NULL AND worker IS NOT NULL)", name="leased"
    ),
    CheckConstraint(
        "(state = 'cancelled') = (cancelled_at IS NOT NULL AND cancelled_by IS NOT NULL)",
        name="cancelled",
    ),
    CheckConstraint("version >= 1 AND attempt >= 0 AND blockers >= 0", name="counts"),
    CheckConstraint("amount_value IS NULL OR amount_value > 0", name="amount"),
    CheckConstraint("(amount_value IS NULL) = (amount_currency IS NULL)", name="currency"),
    Index("uq_action_draft_key", "agent", "draft_key", unique=True),
    Index(
        "ix_action_claimable",
        "execute_at",
        "id",
        sqlite_where=CLAIMABLE,
        postgresql_where=CLAIMABLE,
    ),
    Index(
        "ix_action_lease",
        "lease_until",
        sqlite_where=text("state = 'executing'"),
        postgresql_where=text("state = 'executing'"),
    ),
    Index(
        "ix_action_open",
        "execute_at",
        "id",
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    ),
    Index(
        "ix_action_finished_at",
        "finished_at",
        sqlite_where=text("finished_at IS NOT NULL"),
        postgresql_where=text("finished_at IS NOT NULL"),
    ),
    Index(
        "ix_action_reserved",
        "reserved_until",
        sqlite_where=text(f"reserved_until IS NOT NULL AND state IN ({quoted(CANCELLABLE)})"),
        postgresql_where=text(f"reserved_until IS NOT NULL AND state IN ({quoted(CANCELLABLE)})"),
    ),
    Index(
        "ix_action_look",
        "look_at",
        sqlite_where=text("look_at IS NOT NULL"),
        postgresql_where=text("look_at IS NOT NULL"),
    ),
    Index(
        "uq_action_live_compensation",
        "compensates",
        "kind",
        unique=True,
        sqlite_where=text(f"compensates IS NOT NULL AND state NOT IN ({quoted(RAN_OUT)})"),
        postgresql_where=text(f"compensates IS NOT NULL AND state NOT IN ({quoted(RAN_OUT)})"),
    ),
    Index(
        "uq_action_live_again",
        "again_of",
        unique=True,
        sqlite_where=text(f"again_of IS NOT NULL AND state NOT IN ({quoted(RAN_OUT)})"),
        postgresql_where=text(f"again_of IS NOT NULL AND state NOT IN ({quoted(RAN_OUT)})"),
    ),
    Index(
        "ix_action_compensates",
        "compensates",
        sqlite_where=text("compensates IS NOT NULL"),
        postgresql_where=text("compensates IS NOT NULL"),
    ),
    Index(
        "ix_action_cancel_key",
        "cancel_key",
        sqlite_where=text("cancel_key IS NOT NULL"),
        postgresql_where=text("cancel_key IS NOT NULL"),
    ),
    Index("ix_action_approve_by", "approve_by", sqlite_where=WAITING, postgresql_where=WAITING),
    Index("ix_action_asking", "state", "id", sqlite_where=ASKING, postgresql_where=ASKING),
    Index("ix_action_unsettled", "finished_at", sqlite_where=UNSETTLED, postgresql_where=UNSETTLED),
    Index(
        "ix_action_again_of",
        "again_of",
        sqlite_where=text("again_of IS NOT NULL"),
        postgresql_where=text("again_of IS NOT NULL"),
    ),
    Index(
        "ix_action_joinable",
        "merge_scope",
        "id",
        sqlite_where=JOINABLE,
        postgresql_where=JOINABLE,
    ),
    Index("ix_action_agent", "agent", "id"),
    Index("ix_action_customer", "customer_ref", "id"),
    Index("ix_action_order", "order_ref", "id"),
)

# What each draft of a joined action said, the first one included: a table of its own, because
# events are for ever and these texts are pruned with the payload.
part = Table(
    "part",
    metadata,
    # The id that the draft's own row has, or would have had.
    Column("id", String(36), primary_key=True),
    Column("action", String(36), ForeignKey("action.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("agent", String(100), nullable=False),
    # Null for the first part, whose key stands on the action.
    Column("draft_key", String(255)),
    Column("draft_hash", String(64)),
    Column("drafted_by", String(300), nullable=False),
    at("drafted_at", nullable=False),
    Column("order_ref", String(200)),
    Column("summary", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Index("uq_part_action_number", "action", "number", unique=True),
    Index("uq_part_draft_key", "agent", "draft_key", unique=True),
    Index("ix_part_order_ref", "order_ref"),
)

dependency = Table(
    "dependency",
    metadata,
    Column("child", String(36), ForeignKey("action.id"), primary_key=True),
    Column("parent", String(36), ForeignKey("action.id"), primary_key=True),
    Index("ix_dependency_parent", "parent"),
)

attempt_log = Table(
    "attempt_log",
    metadata,
    # How attempts ended that somebody else had taken over by then: never applied, but evidence.
    Column("id", Integer, primary_key=True),
    Column("action", String(36), ForeignKey("action.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("worker", String(100), nullable=False),
    Column("outcome", String(20), nullable=False),
    at("at", nullable=False),
    Column("effect", Text),
    Column("error", Text),
    Index("uq_attempt_log_attempt", "action", "attempt", "worker", unique=True),
)

event = Table(
    "event",
    metadata,
    # Differs because a PostgreSQL sequence becomes visible out of order: there, readers order by
    # the transaction's number first. SQLite has one writer at a time, so its id is the order.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("txid", BigInteger, nullable=False, server_default="0"),
    # No foreign key: an event is only ever written with its action's write, and the check would
    # lock that row once more, twice an action on the hottest path.
    Column("action", String(36), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("verb", String(40), nullable=False),
    Column("from_state", String(20)),
    Column("to_state", String(20), nullable=False),
    at("at", nullable=False),
    Column("actor", String(300), nullable=False),
    Column("data", Text, nullable=False),
    Column("request_key", String(255)),
    Index("ix_event_action", "action", "id"),
    # Empty on SQLite: there the id alone is the order.
    Index("ix_event_order", "txid", "id", sqlite_where=text("txid > 0")),
)

policy = Table(
    "policy",
    metadata,
    Column("kind", String(40), primary_key=True),
    Column("body", Text, nullable=False),
    Column("changed_by", String(300), nullable=False),
    at("changed_at", nullable=False),
)

policy_change = Table(
    "policy_change",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("changed_by", String(300), nullable=False),
    at("changed_at", nullable=False),
    # The change whose row this one put back; 0: the defaults.
    Column("restores", Integer),
)

desk = Table(
    "desk",
    metadata,
    # One row. `revision` rises with every change of policy or flags, so that a draft decided by
    # an older table is decided again.
    Column("id", Integer, primary_key=True),
    Column("revision", BigInteger, nullable=False),
    # Which database this is (store/lineage.py): a name of its own, what PostgreSQL calls its
    # server, and how often it was found to have been put back from a backup.
    Column("identity", String(32)),
    Column("server", String(100)),
    Column("life", BigInteger, nullable=False, server_default="0"),
    # Personal data of what finished before this is gone, all of it.
    Column("pruned_until", BigInteger, nullable=False, server_default="0"),
    CheckConstraint("id = 1", name="single"),
)

customer_flag = Table(
    "customer_flag",
    metadata,
    Column("ref", String(200), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("flagged_by", String(300), nullable=False),
    at("flagged_at", nullable=False),
)

signal = Table(
    "signal",
    metadata,
    # The caller's own key, hashed together with who it is: a repeat is answered as the first was.
    Column("request_key", String(64), primary_key=True),
    Column("said_hash", String(64), nullable=False),
    Column("type", String(40), nullable=False),
    Column("customer_ref", String(200)),
    Column("order_ref", String(200)),
    Column("note", Text),
    Column("sent_by", String(300), nullable=False),
    at("at", nullable=False),
    Column("answer", Text, nullable=False),
    # Those that still say whom they were about: what the retention looks for.
    Index("ix_signal_at", "at", sqlite_where=TOLD, postgresql_where=TOLD),
)

pause = Table(
    "pause",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("agent", String(100)),
    Column("kind", String(40)),
    Column("reason", Text, nullable=False),
    Column("paused_by", String(300), nullable=False),
    at("paused_at", nullable=False),
)

stock = Table(
    "stock",
    metadata,
    Column("sku", String(200), primary_key=True),
    Column("name", String(500), nullable=False, server_default=""),
    Column("available", BigInteger, nullable=False),
    CheckConstraint("available >= 0", name="available"),
)

reservation = Table(
    "reservation",
    metadata,
    Column("action", String(36), ForeignKey("action.id"), primary_key=True),
    Column("sku", String(200), ForeignKey("stock.sku"), nullable=False),
    Column("quantity", BigInteger, nullable=False),
    at("reserved_at", nullable=False),
    at("released_at"),
    CheckConstraint("quantity > 0", name="quantity"),
)

view = Table(
    "view",
    metadata,
    Column("action", String(36), ForeignKey("action.id"), primary_key=True),
    Column("person_id", Integer, ForeignKey(person.c.id), primary_key=True),
    Column("version", Integer, primary_key=True),
    at("at", nullable=False),
)
