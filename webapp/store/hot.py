"""The statements of the hot path: written once a dialect, then run as text.

SQLAlchemy's look-up and binding would cost more on each run than the database itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ClauseElement, CursorResult
from sqlalchemy.engine.interfaces import Dialect

from webapp.store.engine import AnyRow, Tx


class Hot:
    """One statement. It holds no list of values that could grow, and no type with a processor."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._texts: dict[str, _Text] = {}

    def run(self, tx: Tx, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Like `tx.conn.execute`."""
        text = self._texts.get(tx.dialect) or self._write(tx.conn.dialect)
        return tx.conn.exec_driver_sql(text.sql, text.arguments(values))

    def all(self, tx: Tx, values: Mapping[str, Any]) -> Sequence[AnyRow]:
        """Its rows."""
        return self.run(tx, values).all()

    def first(self, tx: Tx, values: Mapping[str, Any]) -> AnyRow | None:
        """Its one row, if there is one."""
        return self.run(tx, values).first()

    def _write(self, dialect: Dialect) -> "_Text":
        text = self._texts[dialect.name] = _Text(self._statement.compile(dialect=dialect))
        return text


class _Text:
    """What the driver gets. Differs because SQLite's parameters have places, psycopg's names."""

    def __init__(self, compiled: Any) -> None:
        self.sql = str(compiled)
        self._constants = {
            name: value for name, value in compiled.params.items() if value is not None
        }
        self._places: Sequence[str] | None = compiled.positiontup

    def arguments(self, values: Mapping[str, Any]) -> Any:
        given = {**self._constants, **values}
        return given if self._places is None else tuple(given[place] for place in self._places)
