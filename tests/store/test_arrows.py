"""Each arrow from each state: it wins from its own states and leaves every other row alone."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.store.rows import (
    ANA,
    GONE,
    LEASE,
    WORKER,
    claim_all,
    count_events,
    put,
    row,
    verbs,
)
from webapp.domain.states import CANCELLABLE, TOO_LATE, State
from webapp.domain.times import SECOND
from webapp.store import claims, transitions
from webapp.store.claims import Finish
from webapp.store.engine import Database, Tx

Arrow = Callable[[Tx, str], Any]
S = State


def _finish(state: State, **more: Any) -> Arrow:
    def run(tx: Tx, one: str) -> bool:
        return claims.finish(tx, WORKER, [Finish(one, 1, state, **more)]) == []

    return run


ARROWS: dict[str, tuple[Arrow, frozenset[State], State | None, str]] = {
    "cancel": (lambda tx, one: transitions.cancel(tx, one, ANA, "k"), CANCELLABLE,
               S.CANCELLED, "cancelled"),
    "late cancel": (lambda tx, one: transitions.record_late_cancel(tx, one, ANA, {}, "k"), TOO_LATE,
                    None, "cancel_too_late"),
    "approve": (lambda tx, one: transitions.approve(tx, one, ANA, SECOND),
                frozenset({S.AWAITING_APPROVAL}), S.SCHEDULED, "approved"),
    "reject": (lambda tx, one: transitions.reject(tx, one, ANA),
               frozenset({S.AWAITING_APPROVAL}), S.REJECTED, "rejected"),
    "hold": (lambda tx, one: transitions.hold(tx, one, ANA, SECOND),
             frozenset({S.SCHEDULED}), S.HELD, "held"),
    "release": (lambda tx, one: transitions.release(tx, one, ANA),
                frozenset({S.HELD}), S.SCHEDULED, "released"),
    "extend": (lambda tx, one: transitions.extend(tx, one, ANA, SECOND, SECOND),
               frozenset({S.SCHEDULED}), None, "extended"),
    "run now": (lambda tx, one: transitions.run_now(tx, one, ANA),
                frozenset({S.SCHEDULED}), None, "run_now"),
    "resolve: happened": (lambda tx, one: transitions.resolve_happened(tx, one, ANA, "{}"),
                          frozenset({S.UNKNOWN}), S.EXECUTED, "resolved"),
    "resolve: did not": (lambda tx, one: transitions.resolve_did_not_happen(tx, one, ANA),
                         frozenset({S.UNKNOWN}), S.FAILED, "resolved"),
    "executed": (_finish(S.EXECUTED, effect="{}"), frozenset({S.EXECUTING}),
                 S.EXECUTED, "executed"),
    "failed": (_finish(S.FAILED, error="{}"), frozenset({S.EXECUTING}), S.FAILED, "failed"),
    "unknown": (_finish(S.UNKNOWN, error="{}"), frozenset({S.EXECUTING}), S.UNKNOWN, "unknown"),
    "retry": (_finish(S.SCHEDULED, retry_at=2**50), frozenset({S.EXECUTING}),
              S.SCHEDULED, "retried"),
    "in doubt": (_finish(S.EXECUTING, retry_at=2**50), frozenset({S.EXECUTING}),
                 None, "in_doubt"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARROWS)
def test_an_arrow_wins_from_its_own_states_only(database: Database, name: str) -> None:
    """Promise 1; DESIGN: a conditional write whose return value says who won, with its event."""
    arrow, sources, target, verb = ARROWS[name]
    for state in State:
        one = put(database, state, due=-SECOND)
        before, events = row(database, one), count_events(database)
        won = database.transact(lambda tx, one=one: arrow(tx, one))  # type: ignore[misc]
        after = row(database, one)
        if state in sources:
            assert won, state
            assert after.state == (target or state)
            assert after.previous_state == state
            assert after.version == before.version + 1
            assert verbs(database, one)[-1] == verb
            assert count_events(database) == events + 1
        else:
            assert not won, state
            assert after == before, "a lost arrow changes nothing"
            assert count_events(database) == events


@pytest.mark.parametrize("name", ARROWS)
def test_an_arrow_on_nothing_moves_nothing(database: Database, name: str) -> None:
    """A row that is not there is a normal answer: CASES snapotter-hq/SnapOtter#889."""
    arrow = ARROWS[name][0]
    assert not database.transact(lambda tx: arrow(tx, GONE))
    assert count_events(database) == 0


class Interrupted(Exception):
    """The power is gone before the commit."""


@pytest.mark.parametrize("name", ARROWS)
def test_an_arrow_and_its_event_are_undone_together(database: Database, name: str) -> None:
    """DESIGN: its event row in the same transaction; promise 4."""
    arrow, sources, _, _ = ARROWS[name]
    one = put(database, min(sources), due=-SECOND)
    before, events = row(database, one), count_events(database)

    def work(tx: Tx) -> None:
        assert arrow(tx, one)
        raise Interrupted

    with pytest.raises(Interrupted):
        database.transact(work)
    assert row(database, one) == before
    assert count_events(database) == events


def test_a_claim_and_its_event_are_undone_together(database: Database) -> None:
    """As above, for the arrow that takes many rows at once."""
    one = put(database)
    before = row(database, one)

    def work(tx: Tx) -> None:
        assert claims.claim(tx, WORKER, 1, LEASE)
        raise Interrupted

    with pytest.raises(Interrupted):
        database.transact(work)
    assert row(database, one) == before
    assert verbs(database, one) == ["drafted"]
    assert [taken.id for taken in claim_all(database)] == [one]


def test_a_claim_takes_scheduled_rows_only(database: Database) -> None:
    """CASES triggerdotdev/trigger.dev#1981: the claim repeats the state in its WHERE."""
    ids = {state: put(database, state, due=-SECOND) for state in State}
    before = {state: row(database, one) for state, one in ids.items()}
    assert [taken.id for taken in claim_all(database)] == [ids[S.SCHEDULED]]
    changed = {state for state, one in ids.items() if row(database, one) != before[state]}
    assert changed == {S.SCHEDULED}


def test_a_stale_version_moves_nothing(database: Database) -> None:
    """CONTRACT: `"version"` in the body, stale: `changed`; CASES Foundry376/Mailspring#390."""
    stale, fresh = (type(ANA)(ANA.actor, ANA.reason, None, seen) for seen in (2, 1))
    moves: list[tuple[State, Callable[[Tx, str, Any], Any]]] = [
        (S.SCHEDULED, lambda tx, one, who: transitions.cancel(tx, one, who, "k")),
        (S.AWAITING_APPROVAL, lambda tx, one, who: transitions.approve(tx, one, who, SECOND)),
        (S.AWAITING_APPROVAL, transitions.reject),
        (S.SCHEDULED, lambda tx, one, who: transitions.hold(tx, one, who, 0)),
        (S.HELD, transitions.release),
        (S.SCHEDULED, lambda tx, one, who: transitions.extend(tx, one, who, SECOND, 0)),
        (S.SCHEDULED, transitions.run_now),
        (S.UNKNOWN, lambda tx, one, who: transitions.resolve_happened(tx, one, who, "{}")),
        (S.UNKNOWN, transitions.resolve_did_not_happen),
    ]
    for state, move in moves:
        one = put(database, state)
        before = row(database, one)
        assert database.transact(lambda tx, m=move, o=one: m(tx, o, stale)) is None  # type: ignore[misc]
        assert row(database, one) == before
        assert database.transact(lambda tx, m=move, o=one: m(tx, o, fresh)) is not None  # type: ignore[misc]


def test_an_agent_moves_its_own_actions_only(database: Database) -> None:
    """CONTRACT, API: not one's own: as if it were not there."""
    one = put(database)
    before = row(database, one)
    for owner, wins in (("other", False), ("bot", True)):
        asker = type(ANA)(f"agent:{owner}", None, owner, None)
        won = database.transact(lambda tx, a=asker: transitions.cancel(tx, one, a, "k"))  # type: ignore[misc]
        assert (won is not None) is wins
        assert (row(database, one) == before) is not wins
