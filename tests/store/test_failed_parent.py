"""A failed parent cancels or holds its children, as the child's own kind says. DESIGN, States."""

import pytest

from tests.store.rows import ANA, claim_all, end, execute, put, row, states, verbs
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.store import events, policies, transitions
from webapp.store.actions import get
from webapp.store.engine import Database


def holding(db: Database, *kinds: str) -> None:
    """These kinds are held under a failed parent."""
    for kind in kinds:
        body = {"mode": "window", "on_parent_failed": "hold"}
        db.transact(lambda tx, k=kind, b=body: policies.write(tx, k, b, "test"))  # type: ignore[misc]


def fail(db: Database, one: str) -> None:
    """Its one attempt certainly had no effect."""
    assert one in {taken.id for taken in claim_all(db)}
    assert end(db, one, State.FAILED) == []


def release(db: Database, one: str) -> None:
    assert db.transact(lambda tx: transitions.release(tx, one, ANA)) is not None


def depends_on(db: Database, one: str) -> tuple[str, ...]:
    with db.read() as tx:
        found = get(tx, one)
    assert found is not None
    return found.depends_on


@pytest.mark.parametrize("how", ["worker", "person"])
def test_the_childs_kind_decides(database: Database, how: str) -> None:
    """CONTRACT, `on_parent_failed`; it is the child's, whatever the parent's kind says."""
    holding(database, "reply")
    parent = put(database, State.UNKNOWN if how == "person" else State.SCHEDULED, due=-SECOND)
    held = put(database, kind="reply", due=60 * SECOND, parents=(parent,))
    below = put(database, kind="refund", due=60 * SECOND, parents=(held,))
    gone = put(database, kind="refund", due=60 * SECOND, parents=(parent,))
    if how == "person":
        database.transact(lambda tx: transitions.resolve_did_not_happen(tx, parent, ANA))
    else:
        fail(database, parent)
    assert states(database, parent, held, below, gone) == [
        "failed",
        "held",
        "scheduled",
        "cancelled",
    ]
    assert verbs(database, held) == ["drafted", "held_with_parent"]
    found = row(database, held)
    assert (found.state_by, found.execute_at) == ("policy", None)
    assert parent in found.state_reason
    assert claim_all(database) == [], "what waits for a held one waits on"


def test_by_default_it_is_cancelled(database: Database) -> None:
    """CONTRACT."""
    parent = put(database, due=-SECOND)
    child = put(database, kind="reply", parents=(parent,))
    fail(database, parent)
    assert states(database, child) == ["cancelled"]


@pytest.mark.parametrize("how", ["cancelled", "rejected"])
def test_only_a_failure_asks_the_kind(database: Database, how: str) -> None:
    """Promise 7: no live child under a cancelled or rejected parent."""
    holding(database, "reply")
    begun = State.SCHEDULED if how == "cancelled" else State.AWAITING_APPROVAL
    parent = put(database, begun)
    child = put(database, kind="reply", parents=(parent,))
    if how == "cancelled":
        database.transact(lambda tx: transitions.cancel(tx, parent, ANA, "k"))
    else:
        database.transact(lambda tx: transitions.reject(tx, parent, ANA))
    assert states(database, parent, child) == [how, "cancelled"]


def test_under_a_cancelled_one_nobody_is_spared(database: Database) -> None:
    """Promise 7: a child of the failed one, and of one that is cancelled for it."""
    holding(database, "reply")
    parent = put(database, due=-SECOND)
    gone = put(database, kind="refund", parents=(parent,))
    child = put(database, kind="reply", parents=(parent, gone))
    fail(database, parent)
    assert states(database, gone, child) == ["cancelled", "cancelled"]


def test_released_it_drops_the_dependency_and_runs(database: Database) -> None:
    """DESIGN: recorded in an event. A parent that lives is still waited for."""
    holding(database, "reply")
    parent, other = put(database, due=-SECOND), put(database, due=-SECOND)
    child = put(database, kind="reply", due=60 * SECOND, parents=(parent, other))
    assert {one.id for one in claim_all(database)} == {parent, other}
    end(database, parent, State.FAILED)
    release(database, child)
    with database.read() as tx:
        last = events.of_action(tx, child)[-1]
    assert (last.verb, last.data) == ("released", {"reason": "because", "dropped": [parent]})
    assert depends_on(database, child) == (other,)
    assert row(database, child).blockers == 1
    end(database, other)
    assert row(database, child).blockers == 0
    database.transact(lambda tx: transitions.run_now(tx, child, ANA))
    execute(database, child)


def test_what_waits_for_approval_or_is_held_already_stays_so(database: Database) -> None:
    """An approval by a person lets it go as a release does."""
    holding(database, "reply")
    parent = put(database, due=-SECOND)
    waiting = put(database, State.AWAITING_APPROVAL, kind="reply", parents=(parent,))
    held = put(database, State.HELD, kind="reply", parents=(parent,))
    fail(database, parent)
    assert states(database, waiting, held) == ["awaiting_approval", "held"]
    assert verbs(database, held) == ["drafted"]
    database.transact(lambda tx: transitions.approve(tx, waiting, ANA, 0))
    release(database, held)
    for one in (waiting, held):
        assert depends_on(database, one) == ()
        assert row(database, one).blockers == 0


def test_a_release_that_loses_drops_nothing(database: Database) -> None:
    """It was cancelled meanwhile."""
    holding(database, "reply")
    parent = put(database, due=-SECOND)
    child = put(database, kind="reply", parents=(parent,))
    fail(database, parent)
    database.transact(lambda tx: transitions.cancel(tx, child, ANA, "k"))
    assert database.transact(lambda tx: transitions.release(tx, child, ANA)) is None
    assert depends_on(database, child) == (parent,)


def test_under_an_unknown_parent_children_wait(database: Database) -> None:
    """DESIGN: and go on when it turns out to have happened."""
    holding(database, "reply")
    parent = put(database, State.UNKNOWN)
    child = put(database, kind="reply", due=-SECOND, parents=(parent,))
    assert claim_all(database) == []
    database.transact(lambda tx: transitions.resolve_happened(tx, parent, ANA, "{}"))
    assert [one.id for one in claim_all(database)] == [child]
