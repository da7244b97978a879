"""Bugs planted on purpose, by rewriting the SQL on its way to the database.

The tests that guard against them are run with the bug in place and must fail.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from tests.fixtures.statements import seen_by_sqlalchemy
from webapp.store.engine import Database

_COUNT = (
    "(SELECT count(*) FROM dependency d JOIN action p ON p.id = d.parent "
    "WHERE d.child = action.id AND p.state <> 'executed')"
)


@dataclass(frozen=True, slots=True)
class Bug:
    """What is rewritten: pattern and replacement, each applied where it is found."""

    rewrites: tuple[tuple[str, str], ...]


CANCEL_WITHOUT_STATE = Bug(
    (
        (
            r"(cancel_key=.*?)action\.state IN \((.*?)\) AND",
            r"\1(1 = 1 OR action.state IN (\2)) AND",
        ),
    )
)
FINISH_WITHOUT_ATTEMPT = Bug(
    ((r"action\.attempt = CAST\((.*?) AS INTEGER\)", r"(1 = 1 OR \g<0>)"),)
)
FINISH_WITHOUT_STATE = Bug(((r"coalesce\(action\.state, ''\) = 'executing'", "1 = 1"),))
UNBLOCK_BY_COUNTING = Bug(
    (
        (r"blockers=\(action\.blockers - (.*?)\)(?= WHERE)", rf"blockers={_COUNT}"),
        (
            r"(JOIN dependency ON dependency\.child = action\.id(?s:.)*)FOR UPDATE OF action",
            r"\1",
        ),
    )
)
EVENTS_BY_ID_ALONE = Bug(
    (
        (
            r"WHERE(?s:.)*ORDER BY event\.txid, event\.id",
            "WHERE event.id > %(b_id)s::BIGINT ORDER BY event.id",
        ),
    )
)
CLAIM_BY_A_SUBQUERY = Bug(
    (
        (
            (
                r"WITH due AS MATERIALIZED\s*\((.*?SKIP LOCKED)\),\s*(moved AS.*?)"
                r"action\.id = ANY \(array\(\(SELECT due\.id\s+FROM due\)\)\)"
            ),
            r"WITH \2action.id IN (\1)",
        ),
    )
)

HELD_BY_THE_PARENTS_KIND = Bug(
    (
        (
            r"SELECT action\.id, action\.kind(?=\s+FROM action JOIN dependency)",
            "SELECT action.id, (SELECT kind FROM action p WHERE p.id = dependency.parent) AS kind",
        ),
    )
)
DROPPED_BUT_WAITED_FOR = Bug(
    (
        (
            r"blockers=\(action\.blockers - (\S+)\)(?= WHERE action\.id = )",
            r"blockers=(action.blockers - 0 * \1)",
        ),
    )
)
PUT_BACK_BUT_EXECUTING = Bug(
    ((r"WHERE (action\.state = \S+)(?= RETURNING)", r"WHERE 1 = 0 AND \1"),)
)
ASKED_UNDER_A_PAUSE = Bug(
    (
        (
            r"CASE WHEN \(EXISTS \(SELECT \*\s+FROM pause.*END = 1(?=\s+ORDER BY action\.look)",
            "1 = 1",
        ),
    )
)
ASKED_WITHOUT_A_REST = Bug(((r"(SET look_at=.*?) \+ CASE", r"\1 + 0 * CASE"),))
SETTLED_OVER_A_REVERSAL = Bug(((r"action\.effect = (\S+)(?= RETURNING)", r"(1 = 1 OR \g<0>)"),))
LATE_RESULTS_FORGOTTEN = Bug(
    ((r"(FROM attempt_log\s+WHERE )(?=attempt_log\.action (?:IN|= ANY))", r"\1 1 = 0 AND "),)
)


@contextmanager
def planted(db: Database, bug: Bug) -> Iterator[None]:
    """`db` has the bug meanwhile. Fails when some rewrite never found its statement."""
    used: set[str] = set()

    def rewrite(
        _conn: Any, _cursor: Any, statement: str, params: Any, _context: Any, _many: bool
    ) -> tuple[str, Any]:
        for pattern, replacement in bug.rewrites:
            statement, count = re.subn(pattern, replacement, statement, flags=re.DOTALL)
            if count:
                used.add(pattern)
        return statement, params

    engines = {db._auto, db._writing}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", rewrite, retval=True)
    try:
        with seen_by_sqlalchemy():
            yield
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", rewrite)
    missing = [pattern for pattern, _ in bug.rewrites if pattern not in used]
    if missing:
        raise LookupError(f"the statement to break is not there any more: {missing}")
