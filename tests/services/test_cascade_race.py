"""A child is drafted or let go while its parent ends, each held in turn by a failpoint.

PostgreSQL only: SQLite has one writer, which is the parent's lock.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import text

from tests.fixtures.desk import wait_until
from tests.services.people import ANA, claimed, drafted, policy, state
from tests.store.planted import Bug, planted
from tests.store.rows import end, row
from webapp import failpoints
from webapp.config import Settings
from webapp.domain.errors import DependencyNotLive
from webapp.domain.states import State
from webapp.services import clock, decide
from webapp.services.cancel import Cancelled, cancel
from webapp.services.desk import Desk
from webapp.store import consequences, transitions
from webapp.store.asker import Asker
from webapp.store.engine import Database, Tx

DRAFTED_WITHOUT_THE_PARENTS_LOCK = Bug(
    ((r"(SELECT action\.id, action\.state, action\.agent .*?) FOR UPDATE", r"\1"),)
)
_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
def shop(postgresql_url: str) -> Iterator[Desk]:
    db = Database(postgresql_url)
    desk = Desk(db, Settings(secret_key="k" * 32))
    policy(desk, mode="window")
    yield desk
    db.close()


@contextmanager
def held_at(name: str) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Who comes to the point first stays there: reached, and let go."""
    reached, go = threading.Event(), threading.Event()

    def handler(here: str) -> None:
        if here == name and not reached.is_set():
            reached.set()
            assert go.wait(30)

    failpoints.install(handler)
    try:
        yield reached, go
    finally:
        go.set()
        failpoints.install(None)


def beside(desk: Desk, name: str, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """What `second` brings that waits for `first`, which is held at the point."""

    def waiting() -> bool:
        with desk.db.read() as tx:
            return bool(tx.conn.scalar(_WAITING))

    with ThreadPoolExecutor(2) as pool, held_at(name) as (reached, go):
        one = pool.submit(first)
        assert reached.wait(30)
        other = pool.submit(second)
        wait_until(waiting, seconds=30)
        go.set()
        one.result(30)
        return other.result(30)


def cancelled_while_a_child_is_inserted(desk: Desk) -> None:
    parent = drafted(desk)
    made: list[str] = []
    outcome = beside(
        desk,
        "draft.before-commit",
        lambda: made.append(drafted(desk, depends_on=[parent.id]).id),
        lambda: cancel(desk, parent.id, ANA),
    )
    assert isinstance(outcome, Cancelled)
    assert outcome.also_cancelled == made
    assert [state(desk, child) for child in made] == ["cancelled"]


def drafted_while_the_parent_is_cancelled(desk: Desk) -> None:
    parent = drafted(desk)

    def child() -> str | None:
        try:
            return drafted(desk, depends_on=[parent.id]).id
        except DependencyNotLive:
            return None

    made = beside(desk, "cancel.before-commit", lambda: cancel(desk, parent.id, ANA), child)
    assert made is None


def test_a_child_that_is_being_inserted_is_taken_along(shop: Desk) -> None:
    """Promise 7: the cancel waits for the parent's lock, and looks for children after that."""
    cancelled_while_a_child_is_inserted(shop)


def test_under_a_parent_that_is_being_cancelled_nothing_begins(shop: Desk) -> None:
    """Promise 7, the other way round. Case: Yelp/Tron#202."""
    drafted_while_the_parent_is_cancelled(shop)


def test_a_cascade_in_one_statement_is_found(shop: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: one statement sees the children of the moment at which it began to wait."""

    def in_one_statement(tx: Tx, action_id: str, asker: Asker, key: str) -> Any:
        seen = tx.conn.scalars(consequences._CHILDREN, {"parents": [action_id]}).all()
        row = transitions._CANCEL.run(tx, asker.values(action_id, key=key), asker.actor)
        if row is None:
            return None
        for child in seen:
            consequences._CASCADE.run(tx, asker.values(child, key="with"), asker.actor)
        return row, list(seen)

    monkeypatch.setattr(transitions, "cancel", in_one_statement)
    with pytest.raises(AssertionError):
        cancelled_while_a_child_is_inserted(shop)


def test_a_draft_without_the_parents_lock_is_found(shop: Desk) -> None:
    """Planted: it reads the parent as alive and links to it once it is not."""
    with pytest.raises(AssertionError), planted(shop.db, DRAFTED_WITHOUT_THE_PARENTS_LOCK):
        drafted_while_the_parent_is_cancelled(shop)


@pytest.mark.parametrize(
    ("first", "let_go"), [("held", clock.release), ("approval", decide.approve)]
)
def test_a_child_let_go_while_its_parent_fails_waits_for_nothing(
    shop: Desk, first: str, let_go: Callable[..., Any]
) -> None:
    """Promise 4: else it stands as scheduled behind a parent that never runs."""
    policy(shop, "reply", mode="window", on_parent_failed="hold")
    parent = drafted(shop)
    if first == "approval":
        policy(shop, "reply", mode="approval", on_parent_failed="hold")
    child = drafted(shop, "reply", depends_on=[parent.id])
    if first == "held":
        clock.hold(shop, child.id, ANA)
    claimed(shop, parent.id)
    beside(
        shop,
        "finish.before-commit",
        lambda: end(shop.db, parent.id, State.FAILED, error="{}"),
        lambda: let_go(shop, child.id, ANA),
    )
    found = row(shop.db, child.id)
    assert (found.state, found.blockers) == ("scheduled", 0)
