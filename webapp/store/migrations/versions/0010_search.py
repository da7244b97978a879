"""What history is searched by: the words of every action, and an index over them

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from webapp.store.opening import sqlite_module

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


_SECURE_DELETE_SINCE = (3, 42)


def upgrade() -> None:
    # A place from the start, so that whoever takes words out can wait for it.
    op.execute("INSERT INTO follower (name, cursor, moved_at) VALUES ('search', '0.0', 0)")
    op.create_table(
        "searched",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("words", sa.Text().with_variant(TSVECTOR(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_searched")),
    )
    op.create_index("uq_searched_id", "searched", ["id"], unique=True)
    # Differs because each database has its own index of words.
    if op.get_bind().dialect.name == "postgresql":
        # No list of what is still to be indexed: a search would read all of it.
        op.create_index(
            "ix_searched_words",
            "searched",
            ["words"],
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        )
        return
    op.execute(
        "CREATE VIRTUAL TABLE search USING fts5(words, content='searched', content_rowid='number',"
        " columnsize=0, tokenize=\"ascii tokenchars '=.'\")"
    )
    if sqlite_module().sqlite_version_info >= _SECURE_DELETE_SINCE:
        # What is taken out leaves the index at once, not when its pieces happen to be joined.
        op.execute("INSERT INTO search(search, rank) VALUES ('secure-delete', 1)")
