"""Drafting: the policy decides, the key makes a repeat harmless, nothing is half written."""

from typing import Any

import pytest

from tests.services.people import ANA, BOT, OTHER, drafted, policy, stocked
from tests.store.rows import available, count_events, put, row, states, verbs
from tests.store.test_concurrency import together
from tests.unit.bodies import PAYLOADS, body
from webapp.domain.errors import (
    DependencyNotLive,
    Invalid,
    KeyReused,
    KindOff,
    NotFound,
    OutOfStock,
)
from webapp.domain.kinds.registry import DRAFTED
from webapp.domain.states import State
from webapp.domain.times import SECOND, to_rfc3339
from webapp.services import cancel, customers, decide, read
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store import drafting
from webapp.store.drafting import Drafted, NewAction
from webapp.store.engine import Database, Tx


@pytest.mark.parametrize("kind", DRAFTED)
def test_a_draft_is_scheduled_as_its_policy_says(desk: Desk, kind: str) -> None:
    """CONTRACT, POST /actions: the row, its decision and its event."""
    policy(desk, kind, window_seconds="90", margin_seconds="2")
    stocked(desk, 1)
    made = drafted(desk, kind, summary="Do it", order="o-1")
    assert (made.state, made.agent, made.drafted_by) == (State.SCHEDULED, "bot", "agent:bot")
    assert made.cancel_by == made.drafted_at + 90 * SECOND
    assert made.execute_at == made.cancel_by + 2 * SECOND
    assert made.decision == {"mode": "window", "because": ["window of 90 s"]}
    assert verbs(desk.db, made.id) == ["drafted"]
    assert read.get(desk, made.id, ANA) == made


def test_what_needs_approval_waits(desk: Desk) -> None:
    """CONTRACT, `approval_above`; DESIGN: no time until somebody decides."""
    policy(desk, approval_above="1249:INR")
    made = drafted(desk)
    assert (made.state, made.execute_at, made.cancel_by) == (State.AWAITING_APPROVAL, None, None)


def test_a_flag_decides_from_the_next_draft_on(desk: Desk) -> None:
    """DESIGN: a draft decided by an older table is decided again."""
    assert drafted(desk).state is State.SCHEDULED
    other = Desk(desk.db, desk.settings)
    customers.flag(other, "c-1", "chargebacks", ANA.actor)
    assert drafted(desk).state is State.AWAITING_APPROVAL
    customers.unflag(other, "c-1")
    assert drafted(desk).state is State.SCHEDULED


def test_a_policy_changed_meanwhile_decides_again(desk: Desk) -> None:
    """DESIGN: `revision`: another process switched it; this one's table is old."""
    desk.table()
    policy(Desk(desk.db, desk.settings), mode="approval")
    assert drafted(desk).state is State.AWAITING_APPROVAL
    policy(Desk(desk.db, desk.settings), mode="off")
    with pytest.raises(KindOff):
        drafted(desk)


def test_a_kind_that_is_off_is_refused_but_a_repeat_answers(desk: Desk) -> None:
    """Promise 9: a repeat answers as the first did."""
    first = drafted(desk, key="k")
    policy(desk, mode="off")
    events = count_events(desk.db)
    with pytest.raises(KindOff):
        drafted(desk)
    again = draft(desk, BOT, body(), "k")
    assert (again.action.id, again.created) == (first.id, False)
    with pytest.raises(KeyReused):
        draft(desk, BOT, body(summary="Else"), "k")
    assert count_events(desk.db) == events
    policy(Desk(desk.db, desk.settings), mode="window")
    assert drafted(desk).state is State.SCHEDULED, "switched on by another process"


def test_the_same_key_and_body_is_the_same_action(desk: Desk) -> None:
    """CONTRACT: 200, same key and body; promise 9."""
    first = draft(desk, BOT, body(), "k")
    cancel.cancel(desk, first.action.id, ANA)
    second = draft(desk, BOT, dict(reversed(body().items())), "k")
    assert (first.created, second.created) == (True, False)
    assert second.action.id == first.action.id
    assert second.action.state is State.CANCELLED


def test_the_same_key_with_another_body_is_refused(desk: Desk) -> None:
    """CONTRACT: 422, same key, other body: nothing written."""
    draft(desk, BOT, body(), "k")
    events = count_events(desk.db)
    with pytest.raises(KeyReused):
        draft(desk, BOT, body(summary="Else"), "k")
    assert count_events(desk.db) == events


def test_keys_are_per_agent_and_optional(desk: Desk) -> None:
    """CONTRACT: kept per agent as long as the row."""
    ids = {
        draft(desk, agent, body(), key).action.id
        for agent, key in ((BOT, "k"), (OTHER, "k"), (BOT, None), (BOT, None), (BOT, "K"))
    }
    assert len(ids) == 5


@pytest.mark.parametrize("kind", ["refund", "exchange"])
def test_the_same_key_from_twenty_at_once_is_one_row(desk: Desk, kind: str) -> None:
    """Promise 9: an agent's retries, with real threads."""
    stocked(desk, 20)
    results = together([lambda: draft(desk, BOT, body(kind), "k")] * 20)
    assert len({result.action.id for result in results}) == 1
    assert [result.created for result in results].count(True) == 1
    assert count_events(desk.db) == 1
    assert available(desk.db) == (19 if kind == "exchange" else 20)


def test_of_fifty_for_the_last_ten_exactly_ten_get_one(desk: Desk) -> None:
    """Promise 8: a reservation is taken at once, never oversold."""
    stocked(desk, 10)

    def attempt() -> bool:
        try:
            return draft(desk, BOT, body("exchange"), None).created
        except OutOfStock:
            return False

    assert together([attempt] * 50).count(True) == 10
    assert available(desk.db) == 0
    assert count_events(desk.db) == 10


@pytest.mark.parametrize("sku", ["mug", "unheard-of"])
def test_what_is_sold_out_is_refused_and_nothing_is_written(desk: Desk, sku: str) -> None:
    """CONTRACT, exchange: 409 `out_of_stock`, nothing written."""
    stocked(desk, 1)
    with pytest.raises(OutOfStock):
        drafted(desk, "exchange", sku=sku, quantity=2)
    assert available(desk.db) == 1
    assert count_events(desk.db) == 0


def test_a_reservation_lasts_as_the_policy_says(desk: Desk) -> None:
    """CONTRACT, `reservation_seconds`."""
    stocked(desk, 1)
    made = drafted(desk, "exchange")
    assert made.reserved_until == made.drafted_at + 1_800 * SECOND
    assert drafted(desk).reserved_until is None


def test_a_child_waits_for_its_parents(desk: Desk) -> None:
    """CONTRACT, `depends_on`."""
    first, second = drafted(desk), drafted(desk)
    made = drafted(desk, depends_on=[second.id, first.id, second.id])
    assert made.depends_on == tuple(sorted((first.id, second.id)))
    assert made.blockers == 2


@pytest.mark.parametrize("dead", [State.CANCELLED, State.REJECTED, State.FAILED])
def test_nothing_depends_on_what_ended_without_effect(desk: Desk, dead: State) -> None:
    """CONTRACT: 409 `dependency_not_live`."""
    parent = put(desk.db, dead)
    with pytest.raises(DependencyNotLive):
        drafted(desk, depends_on=[parent])


def test_a_dependency_of_somebody_else_is_not_there(desk: Desk) -> None:
    """CONTRACT: not its own or unknown: 404, naming which."""
    own, foreign = drafted(desk), draft(desk, OTHER, body(), None).action
    for other in (foreign.id, "0195"):
        with pytest.raises(NotFound, match="/depends_on/1"):
            drafted(desk, depends_on=[own.id, other])


def test_the_agents_time_makes_it_later(desk: Desk) -> None:
    """CONTRACT, `not_before`: `execute_at` is never before it."""
    later = desk.now() // SECOND * SECOND + 86_400 * SECOND
    assert drafted(desk, not_before=to_rfc3339(later)).execute_at == later
    sooner = drafted(desk, not_before="2001-01-01T00:00:00Z")
    assert sooner.execute_at == sooner.drafted_at + 301 * SECOND


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"url": "http://hooks.example.com/"}, "/payload/url"),
        ({"url": "https://127.0.0.1/"}, "/payload/url"),
        ({"url": "https://[::1]/"}, "/payload/url"),
        ({"undo": {"url": "https://10.0.0.1/"}}, "/payload/undo/url"),
    ],
)
def test_a_private_target_is_refused_when_drafted(
    desk: Desk, change: dict[str, Any], pointer: str
) -> None:
    """CONTRACT, webhook: scheme and literal addresses are checked when drafted."""
    payload = PAYLOADS["webhook"] | change
    with pytest.raises(Invalid) as refusal:
        draft(desk, BOT, body("webhook", payload=payload), None)
    assert [error.pointer for error in refusal.value.errors] == [pointer]


def test_a_stale_revision_writes_nothing(database: Database) -> None:
    """DESIGN, store: the insert itself is conditional on the table that decided."""
    model = row(database, put(database))._asdict()
    kept = {name: model[name] for name in drafting._COLUMNS} | {"id": "new"}
    for revision, outcome in ((7, Drafted.STALE), (1, Drafted.NEW), (1, Drafted.KNOWN)):

        def work(tx: Tx, revision: int = revision) -> Drafted:
            return drafting.draft(tx, NewAction(kept, revision))

        assert database.transact(work) is outcome
    assert verbs(database, "new") == ["drafted"]
    assert states(database, "new") == ["scheduled"]


def test_a_reservation_outlives_a_time_that_is_far_away(desk: Desk) -> None:
    """DESIGN: a reservation outlives the window: it must not cancel what was to run tomorrow."""
    stocked(desk, 2)
    tomorrow = to_rfc3339(desk.now() + 86_400 * SECOND)
    made = drafted(desk, "exchange", not_before=tomorrow)
    assert (made.reserved_until or 0) > (made.execute_at or 0)
    policy(desk, "exchange", mode="approval")
    waiting = drafted(desk, "exchange", not_before=tomorrow)
    approved = decide.approve(desk, waiting.id, ANA)
    assert (approved.reserved_until or 0) > (approved.execute_at or 0)
