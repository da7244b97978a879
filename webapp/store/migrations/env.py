"""Alembic's entry: runs on the connection that `store.migrate` hands over."""

from alembic import context

from webapp.store.tables import TABLES

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=TABLES,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
