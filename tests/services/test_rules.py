"""Rules that look at earlier drafts: what is counted, what is marked, what the breaker holds."""

import json
from typing import Any

import pytest
from sqlalchemy import update

from tests.services.joining import say
from tests.services.people import ANA, BOT, OTHER, claimed, drafted, due, policy, state, stocked
from tests.store.rows import put, row, verbs
from tests.unit.bodies import body
from webapp.domain.action import Action
from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import again, cancel, clock, decide, read
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.schema import action

DUPLICATE = "likely duplicate: same order, kind and amount within a day"
BURST = "breaker: more than 2 by this agent within 60 s"
SPEND = "breaker: more than 25.00 INR by this agent within 60 s"


def earlier(desk: Desk, found: Action, seconds: int) -> None:
    """It was drafted that long ago."""
    at = found.drafted_at - seconds * SECOND
    move = update(action).where(action.c.id == found.id).values(drafted_at=at)
    desk.db.transact(lambda tx: tx.conn.execute(move))


def because(found: Action) -> list[str]:
    return list(found.decision["because"])


def other(desk: Desk, **changes: Any) -> Action:
    """A draft of another agent's."""
    return draft(desk, OTHER, body(**changes), None).action


def test_the_first_of_its_kind_waits_and_the_next_does_not(desk: Desk) -> None:
    """CONTRACT, `first_of_kind`: for this customer, or by this agent."""
    policy(desk, first_of_kind="approval")
    first = drafted(desk)
    assert first.state is State.AWAITING_APPROVAL
    assert because(first) == ["first refund for this customer", "first refund by this agent"]
    assert drafted(desk).state is State.SCHEDULED
    assert because(drafted(desk, customer={"ref": "c-2"})) == ["first refund for this customer"]
    assert because(other(desk)) == ["first refund by this agent"]
    assert other(desk).state is State.SCHEDULED
    assert drafted(desk, "label").state is State.SCHEDULED, "another kind has a row of its own"


def test_after_a_first_that_ended_without_effect_the_next_is_a_first(desk: Desk) -> None:
    """A rejected first must not open the way for the second."""
    policy(desk, first_of_kind="approval")
    first = drafted(desk)
    decide.reject(desk, first.id, ANA, reason="not ours")
    second = drafted(desk)
    assert second.state is State.AWAITING_APPROVAL
    decide.approve(desk, second.id, ANA)
    assert drafted(desk).state is State.SCHEDULED


@pytest.mark.parametrize(
    ("rule", "begins", "window"),
    [("approval", "awaiting_approval", 10), ("long_window", "scheduled", 900)],
)
def test_a_likely_duplicate_is_treated_as_its_rule_says(
    desk: Desk, rule: str, begins: str, window: int
) -> None:
    """CONTRACT, `likely_duplicate`: same order, kind and amount within a day."""
    policy(desk, likely_duplicate=rule)
    first = drafted(desk, order="o-1")
    assert because(first) == ["window of 300 s"]
    second = drafted(desk, order="o-1")
    assert (second.state, second.window) == (begins, window * SECOND)
    assert DUPLICATE in because(second)


def test_a_duplicate_is_only_marked_by_default(desk: Desk) -> None:
    """CONTRACT: `same` only marks the row; also where each one waits anyhow."""
    drafted(desk, order="o-1")
    second = drafted(desk, order="o-1")
    assert second.state is State.SCHEDULED
    assert because(second) == [DUPLICATE, "window of 300 s"]
    policy(desk, mode="approval")
    assert because(drafted(desk, order="o-1")) == ["this kind needs approval", DUPLICATE]


@pytest.mark.parametrize(
    "change",
    [
        {"order": "o-2"},
        {"order": None},
        {"amount": {"value": 1251, "currency": "INR"}},
        {"amount": {"value": 1250, "currency": "USD"}},
    ],
    ids=str,
)
def test_what_differs_is_no_duplicate(desk: Desk, change: dict[str, Any]) -> None:
    """CONTRACT: needs an order and an amount, and all three the same."""
    drafted(desk, order="o-1")
    assert because(drafted(desk, **({"order": "o-1"} | change))) == ["window of 300 s"]


def test_what_has_no_amount_is_no_duplicate(desk: Desk) -> None:
    """As above."""
    for _ in range(2):
        assert because(drafted(desk, "label", order="o-1")) == ["window of 300 s"]


def test_a_day_later_it_is_no_duplicate(desk: Desk) -> None:
    """CONTRACT: within a day; whoever drafted it."""
    first = drafted(desk, order="o-1")
    earlier(desk, first, 86_399)
    assert because(other(desk, order="o-1"))[0] == DUPLICATE
    for found in read.newest(desk, ANA, limit=9):
        earlier(desk, found, 86_401)
    assert because(other(desk, order="o-1")) == ["window of 300 s"]


def test_a_person_who_repeats_what_did_not_happen_makes_no_duplicate(desk: Desk) -> None:
    """It had no effect, and that is why; an agent that drafts it once more is looked at."""
    first = drafted(desk, order="o-1")
    cancel.cancel(desk, first.id, ANA)
    assert because(again.again(desk, first.id, ANA).action) == ["window of 300 s"]
    assert DUPLICATE in because(drafted(desk, order="o-1"))


def test_the_draft_beyond_a_burst_is_held_and_so_is_what_was_scheduled(desk: Desk) -> None:
    """CONTRACT, `burst`; DESIGN: `held` (breaker); issue 4: holds that agent's, and says so."""
    policy(desk, burst="2/60")
    stocked(desk, 5)
    apart = [drafted(desk, "label"), other(desk)]
    first, second = drafted(desk), drafted(desk)
    assert [found.state for found in (first, second)] == [State.SCHEDULED] * 2
    third = drafted(desk)
    assert (third.state, third.execute_at, third.cancel_by) == (State.HELD, None, None)
    assert because(third) == [BURST, "window of 300 s"]
    for found in (first, second, third):
        kept = row(desk.db, found.id)
        assert (kept.state, kept.state_by, kept.state_reason) == ("held", "policy", BURST)
    event = read.timeline(desk, first.id, ANA)[-1]
    assert (event.verb, event.actor, event.data) == ("held", "policy", {"reason": BURST})
    assert BURST in read.timeline(desk, third.id, ANA)[0].data["because"]
    assert [state(desk, found.id) for found in apart] == ["scheduled"] * 2
    assert clock.release(desk, third.id, ANA).window == 300 * SECOND


def test_what_a_person_released_is_not_held_by_the_next_draft(desk: Desk) -> None:
    """The breaker holds once, as it trips; who looked and released has decided."""
    policy(desk, burst="2/60")
    first, *_ = [drafted(desk) for _ in range(3)]
    clock.release(desk, first.id, ANA)
    assert drafted(desk).state is State.HELD
    assert state(desk, first.id) == "scheduled"
    assert verbs(desk.db, first.id) == ["drafted", "held", "released"]


def test_a_burst_ends_with_its_seconds(desk: Desk) -> None:
    """CONTRACT: COUNT within SECONDS; what is counted is drafts, whatever became of them."""
    policy(desk, burst="2/60")
    first, second = drafted(desk), drafted(desk)
    cancel.cancel(desk, first.id, ANA)
    earlier(desk, second, 61)
    third = drafted(desk)
    assert third.state is State.SCHEDULED
    assert drafted(desk).state is State.HELD
    assert state(desk, third.id) == "held"


def test_a_limit_that_was_lowered_trips_with_the_next_draft(desk: Desk) -> None:
    """DESIGN: a draft decided by an older table is decided again; then it holds what stands."""
    policy(desk, burst="9/60")
    first, *_ = [drafted(desk) for _ in range(4)]
    policy(Desk(desk.db, desk.settings), burst="2/60")
    assert drafted(desk).state is State.HELD
    assert state(desk, first.id) == "held"


def test_what_a_worker_has_is_not_held(desk: Desk) -> None:
    """DESIGN: a claim that won has won."""
    policy(desk, burst="2/60")
    first, second = drafted(desk), drafted(desk)
    claimed(desk, first.id)
    drafted(desk)
    assert (state(desk, first.id), state(desk, second.id)) == ("executing", "held")


def test_what_was_due_and_unclaimed_is_held(desk: Desk) -> None:
    """Promise 2: state decides, not the clock."""
    policy(desk, burst="2/60")
    first, _ = drafted(desk), drafted(desk)
    due(desk, first.id, ago=SECOND)
    drafted(desk)
    assert state(desk, first.id) == "held"


def test_a_repeated_key_is_not_counted_and_answers_as_before(desk: Desk) -> None:
    """Promise 9, at the limit and beyond it."""
    policy(desk, burst="2/60")
    first = drafted(desk, key="a")
    for _ in range(3):
        assert drafted(desk, key="a").id == first.id
    assert drafted(desk, key="b").state is State.SCHEDULED
    third = drafted(desk, key="c")
    assert third.state is State.HELD
    assert drafted(desk, key="c") == third


def test_what_a_person_drafts_of_an_agents_action_is_not_the_agents(desk: Desk) -> None:
    """The breaker stops agents: `again` by staff neither counts nor is held."""
    policy(desk, burst="2/60")
    first = drafted(desk)
    cancel.cancel(desk, first.id, ANA)
    policy(desk, spend="1249:INR/60")
    assert again.again(desk, first.id, ANA).action.state is State.SCHEDULED
    policy(desk, spend="none")
    assert drafted(desk).state is State.SCHEDULED
    assert drafted(desk).state is State.HELD


def test_spend_is_counted_by_currency_and_without_what_had_no_effect(desk: Desk) -> None:
    """CONTRACT, `spend`: VALUE:CUR/SECONDS; greater than, as for `approval_above`."""
    policy(desk, spend="2500:INR,100:USD/60")
    first, second = drafted(desk), drafted(desk)
    assert drafted(desk, amount={"value": 100, "currency": "USD"}).state is State.SCHEDULED
    beyond = drafted(desk, amount={"value": 1, "currency": "INR"})
    assert (beyond.state, because(beyond)) == (State.HELD, [SPEND, "window of 300 s"])
    assert [state(desk, found.id) for found in (first, second)] == ["held"] * 2
    cancel.cancel(desk, first.id, ANA)
    assert drafted(desk, amount={"value": 1_249, "currency": "INR"}).state is State.SCHEDULED
    assert drafted(desk, amount={"value": 1, "currency": "INR"}).state is State.HELD
    waits = drafted(desk, amount={"value": 1, "currency": "EUR"})
    assert (waits.state, because(waits)) == (State.AWAITING_APPROVAL, ["no limit is set for EUR"])


def test_huge_amounts_do_not_run_over(desk: Desk) -> None:
    """Sums stay sums where a database's integers end."""
    policy(desk, spend="5:INR/60")
    most = {"value": 10**15, "currency": "INR"}
    first = drafted(desk, amount=most)
    huge = update(action).where(action.c.id == first.id).values(amount_value=2**63 - 1)
    desk.db.transact(lambda tx: tx.conn.execute(huge))
    for _ in range(3):
        assert drafted(desk, amount=most).state is State.HELD


def test_what_waits_for_approval_trips_too_and_stays_waiting(desk: Desk) -> None:
    """A release would end a hold without an approval: approval is the stricter of the two."""
    policy(desk, burst="2/60")
    first = drafted(desk)
    policy(desk, approval_above="1:INR")
    assert drafted(desk).state is State.AWAITING_APPROVAL
    third = drafted(desk)
    assert (third.state, because(third)[-1]) == (State.AWAITING_APPROVAL, BURST)
    assert state(desk, first.id) == "held"


@pytest.mark.parametrize("kind", ["exchange", "refund"])
def test_limits_hold_where_a_draft_depends_on_others_or_takes_stock(desk: Desk, kind: str) -> None:
    """The same transaction, whatever else it does; a held one keeps its stock and its parents."""
    stocked(desk, 5)
    parent = put(desk.db, due=600 * SECOND)
    policy(desk, kind, burst="1/60")
    drafted(desk, kind)
    beyond = drafted(desk, kind, depends_on=[parent])
    assert (beyond.state, beyond.depends_on, beyond.blockers) == (State.HELD, (parent,), 1)
    assert (beyond.reserved_until is not None) == (kind == "exchange")


def test_a_joining_draft_begins_no_action_and_a_beginning_one_is_counted(desk: Desk) -> None:
    """CONTRACT, `burst`: actions are counted; what joins one adds no effect."""
    policy(desk, "reply", burst="1/60")
    first = say(desk, "One")
    assert not say(desk, "Two").created
    beyond = say(desk, "Else", merge_key="n")
    assert (beyond.created, beyond.action.state) == (True, State.HELD)
    assert beyond.action == read.get(desk, beyond.action.id, ANA)
    assert state(desk, first.action.id) == "held"
    assert say(desk, "Three").action.state is State.HELD, "what is held is not joined"


def test_shadow_waits_and_says_what_would_have_been(desk: Desk) -> None:
    """CONTRACT, `shadow`."""
    policy(desk, mode="shadow", window_seconds="90")
    made = drafted(desk)
    assert made.state is State.AWAITING_APPROVAL
    assert made.decision["mode"] == "shadow"
    would = made.decision["would_have"]
    assert would["state"] == "scheduled"
    assert would["cancel_by"] < would["execute_at"]
    assert decide.approve(desk, made.id, ANA).window == 10 * SECOND
    kept = json.loads(row(desk.db, made.id).decision)
    assert kept["would_have"] == would


def test_a_draft_pays_for_no_rule_that_its_row_has_not(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts are gathered only where a rule asks for them."""
    monkeypatch.setattr("webapp.services.past.past", None)
    assert drafted(desk).state is State.SCHEDULED
    assert drafted(desk, "label", order="o-1").state is State.SCHEDULED
    with pytest.raises(AttributeError):
        drafted(desk, order="o-1")


@pytest.mark.parametrize("field", ["window_seconds", "window", "cancel_by", "execute_at", "mode"])
def test_an_agent_cannot_name_a_window(desk: Desk, field: str) -> None:
    """CONTRACT: the agent never sets or shortens the window; unknown fields are refused."""
    within = body(payload=body()["payload"] | {field: 0})
    for told in (body() | {field: 0}, within):
        with pytest.raises(Invalid):
            draft(desk, BOT, told, None)
