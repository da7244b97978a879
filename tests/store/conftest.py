"""Store tests share one PostgreSQL database."""

from tests.fixtures.reused import postgresql_url, reused_postgresql_url

__all__ = ["postgresql_url", "reused_postgresql_url"]
