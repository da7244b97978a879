"""Events are read in one order, and a reader that goes on from its cursor skips none."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, select, text

from tests.store.rows import ANA, claim_all, put, row
from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import events, transitions
from webapp.store.engine import Database, Tx, host_clock
from webapp.store.events import Event
from webapp.store.schema import event

START = "0.0"


def read(db: Database, cursor: str, limit: int = 100, agent: str | None = None) -> list[Event]:
    with db.read() as tx:
        return events.after(tx, cursor, limit, agent=agent)


def latest(db: Database) -> str:
    with db.read() as tx:
        return events.latest(tx)


def cancel(db: Database, one: str) -> None:
    assert db.transact(lambda tx: transitions.cancel(tx, one, ANA, "k")) is not None


@contextmanager
def held_open(db: Database) -> Iterator[Connection]:
    """A transaction of another process, under way."""
    other = Database(db.url.render_as_string(hide_password=False))
    try:
        with other._writing.connect() as conn, conn.begin():
            yield conn
    finally:
        other.close()


def test_events_tell_what_happened(database: Database) -> None:
    """CONTRACT, events: every transition in order, with actor and data."""
    one = put(database)
    cancel(database, one)
    drafted, cancelled = read(database, START)
    assert (drafted.action, drafted.from_state, drafted.to_state) == (one, None, "scheduled")
    assert (cancelled.verb, cancelled.from_state, cancelled.to_state) == (
        "cancelled",
        State.SCHEDULED,
        State.CANCELLED,
    )
    assert (cancelled.kind, cancelled.actor) == ("refund", ANA.actor)
    assert cancelled.data == {"reason": ANA.reason}
    assert cancelled.at == row(database, one).cancelled_at


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_a_reader_in_steps_reads_what_one_at_once_reads(database: Database, limit: int) -> None:
    """Promise 10: no event is skipped or applied twice."""
    ids = [put(database, due=60 * SECOND) for _ in range(5)]
    for one in ids[:2]:
        cancel(database, one)
    found: list[Event] = []
    cursor = START
    while step := read(database, cursor, limit):
        found += step
        cursor = step[-1].cursor
    assert found == read(database, START)
    assert [one.action for one in found] == [*ids, *ids[:2]]


def test_the_latest_cursor_stands_behind_everything(database: Database) -> None:
    """A screen starts from here: nothing before it comes again, all after it does."""
    before = latest(database)
    assert read(database, before) == []
    one = put(database)
    assert [found.action for found in read(database, before)] == [one]
    assert read(database, latest(database)) == []


@pytest.mark.parametrize(
    "cursor", ["", "7", "x.y", "1.2.3", "-1.0", "1.-1", " 1.1", "1.1\n", "9" * 19 + ".1"]
)
def test_what_is_no_cursor_is_refused(database: Database, cursor: str) -> None:
    """Issue 2, bad input: a clear message naming the field."""
    with pytest.raises(Invalid) as refusal:
        read(database, cursor)
    assert refusal.value.errors[0].pointer == "/after"


def test_an_agent_reads_its_own_only(database: Database) -> None:
    """CONTRACT: an agent sees only its own."""
    put(database)
    own = put(database, agent="other")
    assert [one.action for one in read(database, START, agent="other")] == [own]
    assert read(database, START, agent="nobody") == []


def test_a_timeline_is_whole_and_in_order(database: Database) -> None:
    """Promise 15: what decided its fate can be read on its page."""
    one = put(database)
    claim_all(database)
    put(database)
    with database.read() as tx:
        assert [found.verb for found in events.of_action(tx, one)] == ["drafted", "claimed"]


def test_a_request_finds_what_it_caused(database: Database) -> None:
    """Promise 9: by its key, on this action only."""
    one, other = put(database, State.EXECUTED), put(database, State.EXECUTED)
    data = {"cancel_received_at": 7}
    database.transact(lambda tx: transitions.record_late_cancel(tx, one, ANA, data, "key"))
    with database.read() as tx:
        found = events.with_key(tx, one, "key")
        assert found is not None
        assert found.data == {**data, "reason": ANA.reason}
        assert events.with_key(tx, one, "other") is None
        assert events.with_key(tx, other, "key") is None


def out_of_order(db: Database) -> tuple[list[str], list[str]]:
    """What happened in the order of its transactions, and what a polling reader read.

    The first transaction begins first and commits last: its numbers are lower and come later.
    """
    first, second, third = (put(db, due=60 * SECOND) for _ in range(3))
    cursor = read(db, START)[-1].cursor
    found: list[str] = []

    def poll() -> None:
        nonlocal cursor
        for one in read(db, cursor):
            found.append(one.action)
            cursor = one.cursor

    with held_open(db) as slow:
        assert transitions.cancel(Tx(slow, host_clock), first, ANA, "k") is not None
        poll()
        cancel(db, second)
        poll()
        slow.commit()
    poll()
    cancel(db, third)
    poll()
    return [first, second, third], found


def test_nothing_is_skipped_when_transactions_end_out_of_order(postgresql_url: str) -> None:
    """DESIGN, Feed order: a reader that remembers the last id would skip rows for ever."""
    db = Database(postgresql_url)
    happened, found = out_of_order(db)
    db.close()
    assert found == happened


def test_a_screen_that_starts_meanwhile_misses_nothing(postgresql_url: str) -> None:
    """Promise 10: `latest` stands before what is still under way."""
    db = Database(postgresql_url)
    first, second = put(db), put(db)
    with held_open(db) as slow:
        transitions.cancel(Tx(slow, host_clock), first, ANA, "k")
        cancel(db, second)
        cursor = latest(db)
        slow.commit()
    assert {one.action for one in read(db, cursor)} >= {first}
    db.close()


def test_a_cursor_is_never_ahead_of_what_happened(
    postgresql_url: str,
) -> None:
    """Promise 10: numbers of transactions that left nothing are given again after a crash."""
    db = Database(postgresql_url)
    put(db)
    with held_open(db) as other:
        other.execute(text("SELECT pg_current_xact_id()"))
        other.rollback()
    assert latest(db) == read(db, START)[-1].cursor
    db.close()


def test_readers_beside_many_writers_skip_nothing(database: Database) -> None:
    """Promise 10, with real threads: every event once, in one order for all readers."""
    ids = [put(database, due=60 * SECOND) for _ in range(40)]
    start = latest(database)
    done = threading.Event()
    seen: list[list[str]] = [[], []]

    def write(part: list[str]) -> None:
        for one in part:
            cancel(database, one)

    def follow(into: list[str]) -> None:
        cursor = start
        while True:
            last = done.is_set()
            for one in read(database, cursor, 7):
                into.append(one.cursor)
                cursor = one.cursor
            if last and not read(database, cursor, 1):
                return

    writers = [threading.Thread(target=write, args=(ids[n::4],)) for n in range(4)]
    readers = [threading.Thread(target=follow, args=(into,)) for into in seen]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(set(seen[0])) == len(ids)


def test_data_is_json_whatever_people_write(database: Database) -> None:
    """A reason is text, not structure."""
    one = put(database)
    asker = type(ANA)("staff:a", 'a "b"\n{}\u2028 é')
    database.transact(lambda tx: transitions.hold(tx, one, asker, 0))
    with database.read() as tx:
        data = tx.conn.scalars(select(event.c.data).order_by(event.c.id.desc())).first()
    assert json.loads(data or "") == {"reason": asker.reason}
