"""Lists in hot statements: one that goes in as one parameter, one that comes out as one text.

SQLAlchemy's expanding list is written into the statement anew at each run.
"""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, String, Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import Boolean

from webapp.store.engine import Tx


class _Among(ColumnElement[bool]):
    inherit_cache = False
    type = Boolean()

    def __init__(self, column: ColumnElement[str]) -> None:
        self.column = column

    def self_group(self, against: OperatorType | None = None) -> "_Among":
        """As it is: SQLAlchemy would compare it with 1 on SQLite, which no index serves."""
        del against
        return self


@compiles(_Among, "postgresql")
def _array(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.column == any_(bindparam("ids", type_=ARRAY(String))), **kw)


@compiles(_Among)
def _json(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    # Differs because SQLite has no arrays.
    each = func.json_each(bindparam("ids", type_=Text())).table_valued("value")
    return compiler.process(element.column.in_(select(each.c.value)), **kw)


class _Joined(ColumnElement[str]):
    inherit_cache = False
    type = Text()

    def __init__(self, column: ColumnElement[str]) -> None:
        self.column = column


@compiles(_Joined)
def _concatenated(element: _Joined, compiler: SQLCompiler, **kw: Any) -> str:
    # Differs because each calls it otherwise.
    name = "string_agg" if compiler.dialect.name == "postgresql" else "group_concat"
    return f"{name}({compiler.process(element.column, **kw)}, ',')"


def joined(column: ColumnElement[Any]) -> ColumnElement[str]:
    """All values of a group, commas between them; null where there is none."""
    return _Joined(column)


def among(column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether it is one of `ids_of`; for statements that are `Hot`.

    Beside it a partial index's predicate has to stand by itself: SQLite does not see that a list
    implies `IS NOT NULL`.
    """
    return _Among(column)


def ids_of(tx: Tx, ids: Collection[str]) -> dict[str, Any]:
    """The parameter of `among`."""
    return {"ids": json.dumps(list(ids)) if tx.dialect == "sqlite" else list(ids)}
