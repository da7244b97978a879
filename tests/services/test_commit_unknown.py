"""A connection that dies in COMMIT, after the database has committed: the winner is told it won.

PostgreSQL only: a file has no connection to lose.
"""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, event

from tests.fixtures.statements import seen_by_sqlalchemy
from tests.services.joining import say, sends
from tests.services.people import ANA, BOT, drafted, due, policy, state, stocked
from tests.store.rows import LEASE, WORKER, available, count_events, put, row, verbs
from tests.unit.bodies import body
from webapp.config import Settings
from webapp.domain.action import Action
from webapp.domain.errors import Unavailable
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import clock, decide, resolve
from webapp.services.cancel import Cancelled, cancel
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.services.signal import signal
from webapp.store import claims
from webapp.store.engine import Database


@pytest.fixture
def lossy(postgresql_url: str) -> Iterator[Desk]:
    """A desk on PostgreSQL."""
    db = Database(postgresql_url)
    desk = Desk(db, Settings(secret_key="k" * 32))
    for kind in ("refund", "exchange", "reply"):
        policy(desk, kind, mode="window")
    with seen_by_sqlalchemy():
        yield desk
    db.close()


def lose_next_commit(db: Database, times: int = 1) -> list[str]:
    """The next `times` commits reach the database, and their connections are gone after that."""
    lost: list[str] = []

    def commit(conn: Connection) -> None:
        if len(lost) < times:
            raw: Any = conn.connection.driver_connection
            raw.commit()
            raw.close()
            lost.append("commit")

    event.listen(db._writing, "commit", commit)
    return lost


def lose_next_statement(db: Database, words: str) -> list[str]:
    """As above for a statement of its own, which commits by itself."""
    lost: list[str] = []

    def executed(conn: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if words in statement and not lost:
            lost.append(statement)
            raw: Any = conn.connection.driver_connection
            raw.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    event.listen(db._auto, "after_cursor_execute", executed)
    return lost


def test_a_draft_is_told_that_it_was_made(lossy: Desk) -> None:
    """Promise 4; DESIGN, Commit unknown: one row, and it is this call's."""
    for key in ("k", None):
        lost = lose_next_statement(lossy.db, "INSERT INTO action")
        before = count_events(lossy.db)
        result = draft(lossy, BOT, body(), key)
        assert lost
        assert result.created
        assert count_events(lossy.db) == before + 1


def test_a_draft_that_reserved_is_told_that_it_was_made(lossy: Desk) -> None:
    """Promise 8: taken once, although the work ran twice."""
    stocked(lossy, 5)
    parent = drafted(lossy)
    lost = lose_next_commit(lossy.db)
    result = draft(lossy, BOT, body("exchange", depends_on=[parent.id]), None)
    assert lost
    assert result.created
    assert result.action.depends_on == (parent.id,)
    assert available(lossy.db) == 4


def test_a_draft_that_joined_is_told_so_and_joined_once(lossy: Desk) -> None:
    """Promise 9: the work ran twice, its text stands there once, with a key or without."""
    for key in ("k", None):
        first = say(lossy, "One", merge_key=f"m-{key}").action
        lost = lose_next_commit(lossy.db)
        result = say(lossy, "Two", key=key, merge_key=f"m-{key}")
        assert lost
        assert (result.action.id, result.created) == (first.id, False)
        assert sends(lossy.db, first.id) == "One\n\nTwo"
        assert verbs(lossy.db, first.id) == ["drafted", "merged"]


def test_a_draft_that_may_be_joined_is_told_that_it_was_made(lossy: Desk) -> None:
    """Promise 4: it does not join itself when its work runs again."""
    lost = lose_next_commit(lossy.db)
    result = say(lossy, "One")
    assert lost
    assert (result.created, result.action.merges) == (True, 0)


def test_a_cancel_is_told_that_it_won(lossy: Desk) -> None:
    """DESIGN: the retry finds 0 rows; the deciding request's id on the row says whose it was."""
    parent = drafted(lossy)
    child = drafted(lossy, depends_on=[parent.id])
    lost = lose_next_commit(lossy.db)
    outcome = cancel(lossy, parent.id, ANA)
    assert lost
    assert isinstance(outcome, Cancelled)
    assert outcome.also_cancelled == [child.id]
    assert verbs(lossy.db, parent.id) == ["drafted", "cancelled"]


VERBS: dict[str, tuple[State, State, Callable[[Desk, str], Action]]] = {
    "approved": (State.AWAITING_APPROVAL, State.SCHEDULED, lambda d, i: decide.approve(d, i, ANA)),
    "rejected": (
        State.AWAITING_APPROVAL,
        State.REJECTED,
        lambda d, i: decide.reject(d, i, ANA, reason="no"),
    ),
    "held": (State.SCHEDULED, State.HELD, lambda d, i: clock.hold(d, i, ANA)),
    "released": (State.HELD, State.SCHEDULED, lambda d, i: clock.release(d, i, ANA)),
    "extended": (State.SCHEDULED, State.SCHEDULED, lambda d, i: clock.extend(d, i, ANA, seconds=9)),
    "run_now": (State.SCHEDULED, State.SCHEDULED, lambda d, i: clock.run_now(d, i, ANA)),
    "resolved": (
        State.UNKNOWN,
        State.FAILED,
        lambda d, i: resolve.resolve(d, i, ANA, outcome="did_not_happen", note="asked them"),
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_told_that_it_won_and_moves_once(lossy: Desk, verb: str) -> None:
    """Promise 9: the work may run twice, the arrow once; an extension is not doubled."""
    before, after, call = VERBS[verb]
    one = put(lossy.db, before, due=600 * SECOND)
    version = row(lossy.db, one).version
    lost = lose_next_commit(lossy.db)
    assert call(lossy, one).state is after
    assert lost
    assert row(lossy.db, one).version == version + 1
    assert verbs(lossy.db, one) == ["drafted", verb]


def test_a_claim_that_nobody_heard_of_is_found_again(lossy: Desk) -> None:
    """Promise 4: what was claimed under a worker's name is its own to find."""
    made = drafted(lossy)
    due(lossy, made.id)
    lost = lose_next_statement(lossy.db, "SKIP LOCKED")
    assert lossy.db.statement(lambda tx: claims.claim(tx, WORKER, 1, LEASE)) == []
    assert lost
    with lossy.db.read() as tx:
        assert [taken.id for taken in claims.mine(tx, WORKER)] == [made.id]


def test_when_no_commit_gets_through_it_says_so(lossy: Desk) -> None:
    """Promise 11: cancel says at once that the database can't commit, and asks to repeat."""
    made = drafted(lossy)

    def refuse(conn: Connection) -> None:
        raw: Any = conn.connection.driver_connection
        raw.close()

    event.listen(lossy.db._writing, "commit", refuse)
    with pytest.raises(Unavailable):
        cancel(lossy, made.id, ANA, key="k")
    event.remove(lossy.db._writing, "commit", refuse)
    assert state(lossy, made.id) == "scheduled"
    assert isinstance(cancel(lossy, made.id, ANA, key="k"), Cancelled)


@pytest.mark.parametrize("key", ["k", None])
def test_a_signal_is_told_what_it_held(lossy: Desk, key: str | None) -> None:
    """DESIGN, Commit unknown: the rows are held, and it was this call."""
    made = drafted(lossy)
    lost = lose_next_commit(lossy.db)
    assert signal(lossy, ANA, "customer_replied", customer="c-1", key=key).held == [made.id]
    assert lost
    assert verbs(lossy.db, made.id) == ["drafted", "held"]
