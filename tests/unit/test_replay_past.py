"""What a history knew of earlier drafts on the day of each: as the store would have answered."""

from typing import Any

from webapp.domain.policy import Policy
from webapp.domain.replay_past import Memory, Recorded
from webapp.domain.rules import DAY
from webapp.domain.times import SECOND

_BLANK: dict[str, Any] = dict.fromkeys(Recorded._fields)


def one(at: int, **changes: Any) -> Recorded:
    """An executed refund of 100 INR, drafted `at` seconds."""
    values = {
        "drafted_at": at * SECOND,
        "amount_value": 100,
        "amount_currency": "INR",
        "customer_ref": "c",
        "order_ref": "o",
        "agent": "bot",
        "drafted_by": "agent:bot",
        "state": "executed",
        "state_by": "worker:1",
    }
    return Recorded(**(_BLANK | values | changes))


def memory(**values: str) -> Memory:
    return Memory(Policy.model_validate(values))


def test_spent_money_leaves_with_time_and_with_what_ran_out() -> None:
    seen = memory(spend="1000:INR/60")
    assert seen.past(one(0)).spent == 0
    assert seen.past(one(10, state="rejected", finished_at=20 * SECOND)).spent == 100
    assert seen.past(one(19)).spent == 200
    assert seen.past(one(20)).spent == 200, "the rejected one is gone, another came"
    assert seen.past(one(59)).spent == 300
    assert seen.past(one(60)).spent == 300, "the first is a minute old"
    assert seen.past(one(60, amount_currency="USD")).spent is None
    assert seen.past(one(60, agent="other", drafted_by="agent:other")).spent == 0
    assert seen.past(one(60, drafted_by="staff:ana@example.com")).spent is None


def test_a_burst_counts_the_agents_own_of_the_last_seconds() -> None:
    seen = memory(burst="5/60")
    found = [seen.past(one(at)).drafted for at in (0, 1, 60, 61, 500)]
    assert found == [0, 1, 1, 1, 0]
    assert seen.past(one(501, drafted_by="staff:ana@example.com")).drafted is None


def test_what_ran_out_by_then_was_no_first() -> None:
    seen = memory(first_of_kind="approval")
    first = seen.past(one(0, state="cancelled", finished_at=10 * SECOND))
    assert (first.first_for_customer, first.first_by_agent) == (True, True)
    meanwhile = seen.past(one(5, customer_ref="d", state="rejected", finished_at=8 * SECOND))
    assert (meanwhile.first_for_customer, meanwhile.first_by_agent) == (True, False)
    again = seen.past(one(11))
    assert (again.first_for_customer, again.first_by_agent) == (True, True)
    assert not seen.past(one(12)).first_for_customer


def test_a_duplicate_is_of_the_same_order_and_amount_within_a_day() -> None:
    seen = memory(likely_duplicate="approval")
    gone = one(0, state="cancelled", finished_at=5 * SECOND)
    assert not seen.past(gone).duplicate
    assert not seen.past(one(10, again_of="a")).duplicate, "what it repeats had ended"
    assert seen.past(one(20)).duplicate
    assert not seen.past(one(20, order_ref="p")).duplicate
    assert not seen.past(one(20, amount_value=101)).duplicate
    assert not seen.past(one(20, order_ref=None)).duplicate
    assert not seen.past(one(20 + DAY)).duplicate


def test_a_flood_of_duplicates_costs_no_more_than_others() -> None:
    seen = memory(likely_duplicate="approval")
    assert sum(seen.past(one(0)).duplicate for _ in range(10_000)) == 9_999
    assert max(map(len, seen._alike.values())) < 20
