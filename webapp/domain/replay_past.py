"""What the rules ask of earlier drafts, answered for one action after the other of a history.

The store answers the same for a new draft (`store.past`), from the rows as they are; here each
action is answered as its day knew it: what ended without an effect later had not ended yet.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from webapp.domain.policy import Policy
from webapp.domain.rules import DAY, Past
from webapp.domain.states import RAN_OUT
from webapp.domain.times import SECOND

_ALIKE = 16
"""Of the likes of one action, the latest that are kept: a flood of them costs no more."""
_FOR_EVER = 2**62
"""When an action ended that has not, or that had its effect."""


class Recorded(NamedTuple):
    """One past action, as narrow as rules and figures need it. Times in UTC microseconds."""

    id: str
    drafted_at: int
    not_before_at: int | None
    amount_value: int | None
    amount_currency: str | None
    customer_ref: str
    order_ref: str | None
    agent: str
    drafted_by: str
    again_of: str | None
    state: str
    state_by: str
    finished_at: int | None
    cancelled_by: str | None
    cancelled_at: int | None
    late_cancel_at: int | None
    first_viewed_at: int | None
    """Of any version, by the view log."""
    payload: str | None
    """JSON; None where no rule reads it."""

    @property
    def amount(self) -> tuple[int, str] | None:
        """Minor units and currency."""
        if self.amount_value is None or self.amount_currency is None:
            return None
        return self.amount_value, self.amount_currency

    @property
    def ran_out_at(self) -> int:
        """When it ended without an effect."""
        ended = self.finished_at if self.state in RAN_OUT else None
        return _FOR_EVER if ended is None else ended

    @property
    def by_agent(self) -> bool:
        """Whether it is the agent's own doing, and not a person's in its name."""
        return self.drafted_by == f"agent:{self.agent}"


class Memory:
    """Of the actions of one kind, in the order in which they were drafted."""

    def __init__(self, policy: Policy) -> None:
        self._firsts = policy.first_of_kind != "same"
        # What is only marked changes no figure.
        self._repeats = policy.likely_duplicate != "same"
        self._burst, self._spend = policy.burst, policy.spend
        self._went_on: dict[tuple[str, str], int] = {}
        self._alike: dict[tuple[str, int, str], list[tuple[int, int]]] = {}
        self._drafted: defaultdict[str, deque[int]] = defaultdict(deque)
        self._leaves: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        self._spent: Counter[tuple[str, str]] = Counter()

    def past(self, one: Recorded) -> Past:
        """What was known as `one` was drafted; from then on it is known itself."""
        customer, agent = self._first(one) if self._firsts else (False, False)
        return Past(
            first_for_customer=customer,
            first_by_agent=agent,
            duplicate=self._duplicate(one),
            drafted=self._count(one),
            spent=self._sum(one),
        )

    def _first(self, one: Recorded) -> Iterator[bool]:
        for name in (("customer", one.customer_ref), ("agent", one.agent)):
            until = self._went_on.get(name, 0)
            yield until <= one.drafted_at
            self._went_on[name] = max(until, one.ran_out_at)

    def _duplicate(self, one: Recorded) -> bool:
        amount = one.amount if self._repeats else None
        if one.order_ref is None or amount is None:
            return False
        key, since = (one.order_ref, *amount), one.drafted_at - DAY * SECOND
        alike = [earlier for earlier in self._alike.get(key, ()) if earlier[0] > since]
        # What a person repeats had ended without an effect, and that is why.
        ended = one.again_of is None
        found = any(ended or ran_out > one.drafted_at for _, ran_out in alike)
        self._alike[key] = [*alike[1 - _ALIKE :], (one.drafted_at, one.ran_out_at)]
        return found

    def _count(self, one: Recorded) -> int | None:
        if self._burst is None or not one.by_agent:
            return None
        drafted = self._drafted[one.agent]
        while drafted and drafted[0] <= one.drafted_at - self._burst.seconds * SECOND:
            drafted.popleft()
        found = len(drafted)
        drafted.append(one.drafted_at)
        return found

    def _sum(self, one: Recorded) -> int | None:
        if self._spend is None or one.amount is None or not one.by_agent:
            return None
        value, currency = one.amount
        if currency not in self._spend.limits:
            return None
        key = one.agent, currency
        leaves = self._leaves[key]
        while leaves and leaves[0][0] <= one.drafted_at:
            self._spent[key] -= heappop(leaves)[1]
        found = self._spent[key]
        until = min(one.drafted_at + self._spend.seconds * SECOND, one.ran_out_at)
        heappush(leaves, (until, value))
        self._spent[key] += value
        return found
