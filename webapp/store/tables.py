"""Every table, for whoever needs them all: each module of tables fills the one metadata."""

from webapp.store import people_schema, reading_schema, running_schema, schema
from webapp.store.columns import metadata

MODULES = (schema, people_schema, running_schema, reading_schema)
TABLES = metadata
