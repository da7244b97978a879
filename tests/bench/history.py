"""History with a million actions: how fast the index is made of them, and how fast it answers."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import insert

from tests.bench.databases import fresh, opened, settle
from tests.bench.tally import Line, show
from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.filters import Filter
from webapp.domain.ids import new_id
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import history
from webapp.services.desk import Desk
from webapp.services.digest import digest
from webapp.services.searchable import Searchable
from webapp.store.schema import action, event

ACTIONS = 1_000_000
MOST_MS = 300.0
_BEGIN = 1_700_000_000 * SECOND
_EVERY = 30 * SECOND
_AT_A_TIME = 10_000
_ONE = 123_456
"""The action that has the rarest word."""
_SYLLABLES = ("ba", "che", "do", "fi", "gu", "ka", "lo", "me", "ni", "po", "ra", "su", "ti", "vo")
_KINDS = ("refund", "label", "reply", "exchange", "webhook")
_SEARCHES: dict[str, dict[str, Any]] = {
    "everything": {},
    "a word of all": {"q": "order"},
    "a word of one in fifty": {"q": "torn"},
    "a word of one": {"q": "zebra"},
    "two words that never meet": {"q": "torn scratched"},
    "what begins so, of all": {"q": "ord*"},
    "a customer": {"customer": "c-4711"},
    "a name": {"q": "c-4711"},
    "a provider id": {"q": "re_777777"},
    "a kind, a rare state": {"kind": ("refund",), "state": (State.FAILED,)},
    "a word of all, a rare state": {"q": "order", "state": (State.FAILED,)},
    "large amounts": {"currency": "INR", "min": 99_990_000},
    "a word of half and one of all": {"q": "late order"},
}


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    with fresh(backend) as url, opened(url) as desk:
        plant(desk, ACTIONS)
        settle(desk)
        lines = [_made(desk)]
        settle(desk)
        lines += [_asked(desk, name, Filter(**asked)) for name, asked in _SEARCHES.items()]
    show(f"history of {ACTIONS:,} actions, {backend}", lines)


def _made(desk: Desk) -> Line:
    began, cpu, longest = time.perf_counter(), time.process_time(), 0.0
    done = False
    while not done:
        turn = time.perf_counter()
        done = digest(desk, [Searchable()], 0)
        longest = max(longest, time.perf_counter() - turn)
    rate = ACTIONS / (time.perf_counter() - began)
    by_cpu = ACTIONS / (time.process_time() - cpu)
    words = "indexed /s (/s of this CPU; longest round ms)"
    said = f"{rate:,.0f} ({by_cpu:,.0f}; {longest * 1000:.0f})"
    return Line(words, said, "", None, ">= 2,000", rate >= 2_000)


def _asked(desk: Desk, name: str, asked: Filter) -> Line:
    history.find(desk, asked)
    took = []
    cpu = time.process_time()
    for _ in range(7):
        began = time.perf_counter()
        page = history.find(desk, asked)
        took.append((time.perf_counter() - began) * 1000)
    further = "" if page.looked_to is None else ", in part"
    took.sort()
    cpu = (time.process_time() - cpu) / 7 * 1000
    words = f"{name}: {len(page.rows)} rows{further} (ms, of which CPU; worst)"
    said = f"{took[3]:.0f} ({cpu:.0f}; {took[-1]:.0f})"
    return Line(words, said, "", None, f"< {MOST_MS:g}", took[3] < MOST_MS)


def plant(desk: Desk, number: int) -> None:
    """Finished actions with words of every frequency, each with the two events it would have."""
    chance = random.Random(7)
    words = ["".join(chance.choices(_SYLLABLES, k=3)) for _ in range(2_000)]
    with desk.db.connection() as conn:
        _off(desk)(conn)
        for first in range(0, number, _AT_A_TIME):
            if desk.db.dialect == "sqlite":
                conn.exec_driver_sql("BEGIN")
            made = list(_rows(chance, words, first, min(number, first + _AT_A_TIME)))
            conn.execute(insert(action), made)
            conn.execute(insert(event), [one for row in made for one in _events(row)])
            conn.commit()


def _off(desk: Desk) -> Callable[[Any], object]:
    """Differs because PostgreSQL leaves triggers out by a role, and SQLite has to drop them."""
    sql = (
        "SET session_replication_role = replica"
        if desk.db.dialect == "postgresql"
        else "DROP TRIGGER action_first"
    )
    return lambda conn: conn.exec_driver_sql(sql)


def _rows(
    chance: random.Random, words: list[str], first: int, last: int
) -> Iterator[dict[str, Any]]:
    for place in range(first, last):
        at = _BEGIN + place * _EVERY
        common = "late" if place % 2 else "wrong"
        rare = "torn" if place % 50 == 0 else "scratched" if place % 50 == 1 else "plain"
        summary = f"The order came {common} and {rare}: {' '.join(chance.choices(words, k=8))}"
        text = canonical({"payment": f"pi_{place}", "note": " ".join(chance.choices(words, k=12))})
        value = chance.randrange(1, 100_000_000)
        failed = place % 50_000 == 9
        yield {
            "id": new_id(at),
            "kind": _KINDS[place % 5],
            "state": (State.FAILED if failed else State.EXECUTED).value,
            "summary": summary + (" zebra" if place == _ONE else ""),
            "reason": "",
            "payload": text,
            "payload_hash": fingerprint(text),
            "amount_value": value,
            "amount_currency": "INR",
            "customer": canonical({"ref": f"c-{place % 20_011}", "name": words[place % 1999]}),
            "customer_ref": f"c-{place % 20_011}",
            "order_ref": f"o-{place % 400_009}",
            "agent": f"agent-{place % 3}",
            "drafted_by": f"agent:agent-{place % 3}",
            "drafted_at": at,
            "window": 0,
            "margin": 0,
            "execute_at": at,
            "cancel_by": at,
            "decision": "{}",
            "state_by": "policy",
            "finished_at": at + 60 * SECOND,
            "effect": canonical({"status": "settled", "provider_id": f"re_{place}", "detail": {}}),
        }


def _events(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    common = {"action": row["id"], "kind": row["kind"], "actor": row["drafted_by"], "data": "{}"}
    yield {**common, "verb": "drafted", "to_state": "scheduled", "at": row["drafted_at"]}
    yield {**common, "verb": "executed", "to_state": row["state"], "at": row["finished_at"]}
