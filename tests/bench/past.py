"""A past: actions of several kinds and agents that were drafted, looked at and ended, with events.

The rows are put in as scheduled and then moved by whole sets, as the database's law wants it:
how each ends, and when, stands in columns that nothing else needs meanwhile.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import insert, text

from tests.unit.bodies import PAYLOADS
from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.ids import new_id
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store.schema import action

KINDS = ("refund", "label", "reply", "exchange", "webhook")
AGENTS = ("returns-agent", "support-agent", "shop-agent", "night-agent")
WINDOW = 300 * SECOND
DAY = 86_400 * SECOND
_AT_A_TIME, _TOGETHER = 5_000, 100
_TEXTS = {kind: canonical(PAYLOADS[kind]) for kind in KINDS}
_ENDS = """
UPDATE action SET state = 'executing', worker = 'worker:past', attempt = 1,
    previous_state = 'scheduled', claimed_at = execute_at + held_left
    WHERE state_reason IN ('executed', 'failed');
UPDATE action SET state = state_reason, previous_state = 'executing',
    finished_at = claimed_at + 200000 WHERE state = 'executing';
UPDATE action SET state = 'cancelled', previous_state = 'scheduled', finished_at = lease_until,
    cancelled_by = 'staff:ana@example.com', cancelled_at = lease_until
    WHERE state_reason = 'cancelled';
UPDATE action SET state = 'rejected', previous_state = 'awaiting_approval',
    finished_at = lease_until WHERE state_reason = 'rejected'
"""
_MINE = "id BETWEEN :first AND :last ORDER BY id"
_EVENTS = f"""
id, kind, 'drafted', NULL,
    CASE state_reason WHEN 'rejected' THEN 'awaiting_approval' ELSE 'scheduled' END,
    drafted_at, drafted_by, '{{}}' FROM action WHERE {_MINE};
id, kind, 'claimed', 'scheduled', 'executing', claimed_at, 'worker:past', '{{"attempt": 1}}'
    FROM action WHERE claimed_at IS NOT NULL AND {_MINE};
id, kind, 'cancel_too_late', 'executing', 'executing', late_cancel_at, late_cancel_by, '{{}}'
    FROM action WHERE late_cancel_at IS NOT NULL AND {_MINE};
id, kind, state, previous_state, state, finished_at, state_by, '{{}}' FROM action WHERE {_MINE}
"""
_EVENT = "INSERT INTO event (action, kind, verb, from_state, to_state, at, actor, data) SELECT "


def plant(desk: Desk, number: int, end: int, days: int) -> None:
    """`number` actions that were drafted within the `days` before `end` (UTC microseconds)."""
    ids: list[str] = []
    with desk.db.connection() as conn:
        conn.exec_driver_sql("BEGIN")
        rows = _rows(number, end - days * DAY, days * DAY // number)
        while some := list(islice(rows, _AT_A_TIME)):
            conn.execute(insert(action), some)
            ids += [row["id"] for row in some]
        for statement in _ENDS.split(";"):
            conn.exec_driver_sql(statement)
        conn.exec_driver_sql("COMMIT")
        ids.sort()
        # Few at a time: a desk's transactions leave some events each, never a million.
        for first in range(0, number, _TOGETHER):
            asked = {"first": ids[first], "last": ids[min(first + _TOGETHER, number) - 1]}
            conn.exec_driver_sql("BEGIN")
            for select in _EVENTS.split(";"):
                conn.execute(text(_EVENT + select), asked)
            conn.exec_driver_sql("COMMIT")


def _rows(number: int, begin: int, every: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(8)
    for place in range(number):
        at = begin + place * every + chance.randrange(every)
        # Most of a day's work is done by day.
        at -= at % DAY
        at += int(min(max(chance.gauss(13, 3.5), 0), 23.99) * 3_600 * SECOND)
        yield _row(chance, at)


def _row(chance: random.Random, at: int) -> dict[str, Any]:
    kind = chance.choice(KINDS)
    looks = at + int(chance.lognormvariate(3.8, 1.1) * SECOND)
    execute_at = at + WINDOW + SECOND
    ends = chance.choices(("executed", "cancelled", "failed", "rejected"), (90, 5, 1, 4))[0]
    asked = ends == "rejected"
    stopped = looks + int(chance.expovariate(1 / 20) * SECOND)
    if ends == "cancelled" and stopped > execute_at:
        ends = "executed"
    late = ends == "executed" and chance.random() < 0.01
    amount = chance.randrange(100, 500_000) if kind in ("refund", "exchange") else None
    claimed_at = execute_at + int(chance.expovariate(1 / 3_000))
    return {
        "id": new_id(at),
        "kind": kind,
        "state": "awaiting_approval" if asked else "scheduled",
        "summary": "A day's work",
        "reason": "",
        "payload": _TEXTS[kind],
        "payload_hash": fingerprint(_TEXTS[kind]),
        "amount_value": amount,
        "amount_currency": amount and chance.choice(("INR", "EUR")),
        "customer": '{"ref":"c"}',
        "customer_ref": f"c-{chance.randrange(997)}",
        "agent": chance.choice(AGENTS),
        "drafted_by": "agent:past",
        "drafted_at": at,
        "window": WINDOW,
        "margin": SECOND,
        "cancel_by": execute_at - SECOND,
        "execute_at": execute_at,
        "claimable_at": execute_at,
        "decision": '{"mode":"approval"}' if asked else '{"mode":"window"}',
        "state_by": "staff:ana@example.com" if asked else "worker:past",
        "state_reason": ends,
        "first_viewed_at": looks if chance.random() < 0.97 else None,
        "lease_until": stopped,
        "held_left": claimed_at - execute_at,
        "late_cancel_at": claimed_at + chance.randrange(20 * SECOND) if late else None,
        "late_cancel_by": "staff:ana@example.com" if late else None,
    }
