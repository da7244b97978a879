"""A filter's rows, as a plain reading of its words in Python finds them, on both databases."""

import json
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from sqlalchemy import insert, update

from tests.store.rows import put
from webapp.domain.action import Action
from webapp.domain.filters import Filter, parse
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import actions, feed
from webapp.store.engine import Database, Tx
from webapp.store.feed_sources import Key
from webapp.store.schema import action, customer_flag

FLAGGED = "c-2"


@pytest.fixture
def several(database: Database) -> Database:
    """Rows that differ in everything that a filter asks for."""
    for number, state in enumerate(State):
        customer = {"ref": f"c-{number}", "name": "Zoë 50% O'Neil" if number == 3 else "Asha_Rao"}
        put(
            database,
            state,
            kind="reply" if number % 2 else "refund",
            due=number * 50 * SECOND,
            cancel_by=database_now(database) + number * 50 * SECOND,
            agent="returns" if number < 5 else "shop",
            customer=json.dumps(customer, ensure_ascii=False),
            customer_ref=customer["ref"],
            order_ref=f"o-{number % 3}",
            amount_value=(number + 1) * 1_000,
            amount_currency="INR" if number % 3 else "USD",
            summary="Torn cover" if number % 4 else "किताब फटी हुई थी",
        )
    flag = {"ref": FLAGGED, "reason": "", "flagged_by": "staff:a", "flagged_at": 1}
    database.transact(lambda tx: tx.conn.execute(insert(customer_flag).values(flag)))
    return database


def database_now(database: Database) -> int:
    return database.transact(lambda tx: tx.now())


Rule = Callable[[Action], bool]
RULES: dict[str, Rule] = {
    "": lambda _: True,
    "kind=reply": lambda one: one.kind == "reply",
    "kind=reply&kind=refund": lambda _: True,
    "state=held&state=failed": lambda one: one.state in (State.HELD, State.FAILED),
    "agent=shop": lambda one: one.agent == "shop",
    "customer=c-3": lambda one: one.customer["ref"] == "c-3",
    "order=o-1": lambda one: one.order_ref == "o-1",
    "flagged=yes": lambda one: one.customer["ref"] == FLAGGED,
    "currency=INR": lambda one: one.amount_currency == "INR",
    "currency=INR&min=30&max=60": lambda one: (
        one.amount_currency == "INR" and 3_000 <= (one.amount_value or 0) <= 6_000
    ),
    "due=75": lambda one: one.state is State.SCHEDULED,
    "due=40": lambda _: False,
    "due=75&state=held": lambda _: False,
    "q=torn+COVER": lambda one: one.summary == "Torn cover",
    "q=किताब": lambda one: "किताब" in one.summary,
    "q=50%25+o'neil": lambda one: one.customer["ref"] == "c-3",
    "q=a_r": lambda one: one.customer["name"] == "Asha_Rao",
    "q=a%25r": lambda _: False,
    "q=t%25c": lambda _: False,
    "q=%5C": lambda _: False,
    "q=torn&kind=refund&agent=shop": lambda one: (
        (one.summary, one.kind, one.agent) == ("Torn cover", "refund", "shop")
    ),
}


def test_a_filter_has_the_rows_that_its_words_say(several: Database) -> None:
    """One rule for the list, for live rows and for what is done to all that match."""
    with several.read() as tx:
        now = tx.now()
        everything = actions.newest(tx, limit=100)
        for query, says in RULES.items():
            wanted = filter_of(query)
            expected = {one.id for one in everything if says(one)}
            found = feed.matching(tx, wanted, now, [one.id for one in everything])
            assert set(found) == expected, query
            reader = feed.Reader(tx, wanted, feed.Since(unsettled=0, ended=0), now)
            page = reader.page(200)
            assert {one.id for one in page.rows} == expected, query
            assert page.counts == reader.counts(), "counted, or known because this was all"
            assert page.counts.total == len(expected)
            assert set(reader.ids(State, 200)) == expected, query


def test_pages_go_through_all_of_it_once(several: Database) -> None:
    """Whatever a page's length: nothing twice, nothing left out, and the last page says so."""
    for _ in range(7):  # ties in every order
        put(several, State.FAILED)
        put(several, State.SCHEDULED, execute_at=10**15)
    together = update(action).where(action.c.finished_at.is_not(None)).values(finished_at=10**15)
    several.transact(lambda tx: tx.conn.execute(together))
    with several.read() as tx:
        reader = reading(tx, Filter())
        everything = [one.id for one in reader.page(200).rows]
        for length in (3, 4, 7, len(everything)):
            seen: list[str] = []
            ends: dict[str, Key] | None = None
            while True:
                page = reader.page(length, ends)
                seen += [one.id for one in page.rows]
                ends = page.ends
                if ends is None:
                    break
            assert sorted(seen) == sorted(everything)
            assert len(set(seen)) == len(seen)


def test_what_is_held_unknown_or_failed_is_unread_until_this_person_saw_it_so(
    several: Database,
) -> None:
    with several.read() as tx:
        found = {one.id: one.state for one in actions.newest(tx, limit=100)}
        unread = feed.unread(tx, 1, 0, 100)
    assert {found[one] for one in unread} == {State.HELD, State.UNKNOWN, State.FAILED}
    assert len(unread) == 3


def reading(tx: Tx, wanted: Filter) -> feed.Reader:
    return feed.Reader(tx, wanted, feed.Since(unsettled=0, ended=0), tx.now())


def filter_of(query: str) -> Filter:
    return parse(parse_qs(query))
