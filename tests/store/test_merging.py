"""The database repeats the law of joining: a payload changes by this arrow and by nothing else."""

from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update

from tests.services.joining import say, sends
from tests.store.planted import Bug, planted
from tests.store.rows import row
from tests.store.test_law import accepts
from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store import merging, policies
from webapp.store.engine import Database, Tx
from webapp.store.schema import action


@pytest.fixture
def desk(database: Database) -> Desk:
    """Replies and webhooks on a window."""

    def work(tx: Tx) -> None:
        for kind in ("reply", "webhook"):
            policies.write(tx, kind, {"mode": "window"}, "staff:admin@example.com")

    database.transact(work)
    return Desk(database, Settings(secret_key="k" * 32))


WRONG: dict[str, dict[str, Any]] = {
    "no version": {"version": action.c.version},
    "two versions": {"version": action.c.version + 2, "payload_version": action.c.version + 2},
    "no count": {"merges": action.c.merges},
    "two at once": {"merges": action.c.merges + 2},
    "the view stays": {"first_viewed_at": 1},
    "nobody knows when": {"payload_version": action.c.payload_version},
    "nearer": {"execute_at": action.c.execute_at - 1},
    "another customer": {"customer_ref": "c-2"},
    "another agent": {"agent": "other"},
    "another scope": {"merge_scope": "0" * 64},
    "out of the scope": {"merge_scope": None},
    "the hash stays": {"payload_hash": action.c.payload_hash},
    "while it is held": {"state": "held"},
    "after an attempt": {"attempt": 1},
}


def joins(action_id: str, **change: Any) -> Any:
    """Raw SQL that does what the arrow does, with one change."""
    values: dict[str, Any] = {
        "payload": "{}",
        "payload_hash": "0" * 64,
        "version": action.c.version + 1,
        "payload_version": action.c.version + 1,
        "merges": action.c.merges + 1,
        "first_viewed_at": None,
    }
    return update(action).where(action.c.id == action_id).values(**values | change)


@pytest.mark.parametrize("wrong", WRONG)
def test_the_database_refuses_a_payload_that_changes_otherwise(desk: Desk, wrong: str) -> None:
    """DESIGN: payloads don't change; only a merge changes one (promise 3)."""
    made = say(desk, "One").action
    assert accepts(desk.db, joins(made.id))
    assert not accepts(desk.db, joins(made.id, **WRONG[wrong]))


def test_only_a_row_with_a_merge_key_changes_and_three_drafts_are_the_end(desk: Desk) -> None:
    """DESIGN: up to three windows in all."""
    assert not accepts(desk.db, joins(say(desk, "One", merge_key=None).action.id))
    made = [say(desk, text).action for text in ("One", "Two", "Three")][-1]
    assert made.merges == 2
    assert not accepts(desk.db, joins(made.id))


def test_a_row_that_changed_since_it_was_found_is_not_joined(desk: Desk) -> None:
    """The write itself is conditional, whatever was read before it: promise 3."""
    made = say(desk, "One").action
    becomes = {
        "payload": "{}", "payload_hash": "0" * 64, "decision": "{}", "not_before_at": None,
        "window": 1, "margin": 0, "cancel_by": 2**53, "execute_at": 2**53,
        "unseen": False,
    }  # fmt: skip
    draft = row(desk.db, made.id)._asdict() | {"id": "other", "drafted_by": "agent:bot"}
    for change in (
        {"version": made.version + 1},
        {"payload_hash": "f" * 64},
    ):
        found = row(desk.db, made.id)._asdict() | change
        stale = SimpleNamespace(**found, _mapping=found)
        assert not _merges(desk, stale, draft, becomes)
    for change in (
        {"customer_ref": "c-2"},
        {"agent": "x"},
        {"merge_key": "n"},
        {"kind": "webhook"},
    ):
        assert not _merges(desk, row(desk.db, made.id), draft | change, becomes)
    assert not _merges(desk, row(desk.db, made.id), draft, becomes, off=1), "an old policy table"
    assert sends(desk.db, made.id) == "One"
    assert _merges(desk, row(desk.db, made.id), draft | {"draft_key": "k"}, becomes)


def _merges(desk: Desk, found: Any, draft: Any, becomes: Any, off: int = 0) -> bool:
    revision = desk.table().revision - off
    return desk.db.transact(lambda tx: merging.merge(tx, found, draft, becomes, revision))


UNGUARDED = Bug(((r"action\.payload_hash = (?=.{0,60}AND action\.attempt)", "'' <> "),))


def test_a_merge_without_its_guard_is_found(desk: Desk) -> None:
    """Planted: the payload that was joined is not compared with the row's any more."""
    with pytest.raises(AssertionError), planted(desk.db, UNGUARDED):
        test_a_row_that_changed_since_it_was_found_is_not_joined(desk)
