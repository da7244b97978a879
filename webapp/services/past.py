"""What the rules of a policy row need to know of earlier drafts, and when it has to be exact."""

import json
from dataclasses import dataclass

from webapp.domain.policy import Policy
from webapp.domain.rules import DAY, Past
from webapp.domain.times import SECOND
from webapp.services.new import New
from webapp.store import breaker, past
from webapp.store.engine import Tx
from webapp.store.past import Drafter


@dataclass(frozen=True, slots=True)
class Asks:
    """What a draft's row asks. Falsy where it asks nothing: such drafts pay for nothing."""

    new: New
    policy: Policy

    def __bool__(self) -> bool:
        return self.exact or self._firsts or self._may_repeat

    @property
    def exact(self) -> bool:
        """Whether others like it have to wait their turn while it is decided.

        Not for a mark, which changes nothing, nor for two firsts at once: both wait for a person.
        """
        return bool(self.turns)

    @property
    def turns(self) -> tuple[str, ...]:
        """What drafts of this kind share, by name: `store.turns`."""
        new = self.new
        limited = self._by_agent and (self.policy.burst or self._spends)
        agent = [f"agent {new.agent} {new.kind.name}"] if limited else []
        strict = self._may_repeat and self.policy.likely_duplicate != "same"
        return (*agent, *([f"order {new.draft.order} {new.kind.name}"] if strict else []))

    def look(self, tx: Tx, now: int) -> Past:
        """The answers, as of `now` (UTC microseconds)."""
        new, policy = self.new, self.policy
        who = Drafter(new.agent, new.kind.name, now)
        customer, agent = (
            past.firsts(tx, who, new.draft.customer.ref) if self._firsts else (False, False)
        )
        burst = policy.burst if self._by_agent else None
        return Past(
            first_for_customer=customer,
            first_by_agent=agent,
            duplicate=self._may_repeat and self._repeats(tx, who),
            drafted=past.drafted(tx, who, burst.seconds, burst.count) if burst else None,
            spent=self._spent(tx, who) if self._by_agent else None,
        )

    def stop(self, tx: Tx, now: int, action_id: str, reason: str) -> list[str]:
        """Hold what the agent has scheduled of this kind, as `action_id` passes its limits.

        Not once more with the drafts that follow: what a person releases meanwhile stays so.
        """
        limits = (self.policy.burst, self.policy.spend)
        seconds = max(limit.seconds for limit in limits if limit)
        who = Drafter(self.new.agent, self.new.kind.name, now)
        before = past.last_decision(tx, who, seconds, action_id)
        if before is not None and json.loads(before).get("breaker"):
            return []
        reserve = self.policy.reservation_seconds * SECOND
        return breaker.hold(tx, who.agent, who.kind, reason, reserve)

    @property
    def _by_agent(self) -> bool:
        return self.new.drafted_by == f"agent:{self.new.agent}"

    @property
    def _firsts(self) -> bool:
        return self.policy.first_of_kind != "same"

    @property
    def _amount(self) -> tuple[int, str] | None:
        return self.new.kind.amount(self.new.draft.payload)

    @property
    def _may_repeat(self) -> bool:
        return self.new.draft.order is not None and self._amount is not None

    @property
    def _spends(self) -> bool:
        amount, spend = self._amount, self.policy.spend
        return bool(amount and spend and amount[1] in spend.limits)

    def _repeats(self, tx: Tx, who: Drafter) -> bool:
        order, amount = self.new.draft.order, self._amount
        if order is None or amount is None:
            return False
        # What a person repeats had ended without an effect, and that is why.
        ended = self.new.again_of is None
        return past.duplicate(tx, who, DAY, order, amount, ended=ended)

    def _spent(self, tx: Tx, who: Drafter) -> float | None:
        amount, spend = self._amount, self.policy.spend
        if amount is None or spend is None or amount[1] not in spend.limits:
            return None
        return past.spent(tx, who, spend.seconds, amount[1])
