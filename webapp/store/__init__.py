"""The only SQLAlchemy: tables, arrows, reads, on SQLite and PostgreSQL."""
