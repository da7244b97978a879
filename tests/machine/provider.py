"""The world outside: what each provider did, counted where the desk can't reach it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from webapp.connectors.base import (
    SETTLED,
    SUBMITTED,
    Connector,
    Effect,
    EffectFailed,
    EffectRequest,
)
from webapp.domain.ids import idempotency_key


class Outcome(StrEnum):
    """How the next send ends."""

    SETTLED = "settled"
    SUBMITTED = "submitted"
    BUSY = "busy"  # certainly nothing, worth another try
    REFUSED = "refused"  # certainly nothing, for good
    LOST = "lost"  # it happened, and the answer did not arrive
    DROPPED = "dropped"  # it did not happen, and nobody can tell


@dataclass
class Provider:
    """All of them in one. `silent`: it can't be asked now."""

    next: Outcome = Outcome.SETTLED
    silent: bool = False
    effects: Counter[str] = field(default_factory=Counter)
    tries: Counter[str] = field(default_factory=Counter)
    """Sends that may have had an effect, as far as the desk can know."""
    sent: list[EffectRequest] = field(default_factory=list)

    def happened(self, action_id: str) -> bool:
        """The truth."""
        return self.effects[idempotency_key(action_id)] > 0


@dataclass(frozen=True, slots=True)
class Way:
    """One connector. Kinds differ in what their providers can do."""

    provider: Provider
    name: str
    dedupes: bool
    can_look_up: bool

    def send(self, request: EffectRequest) -> Effect:
        world, key = self.provider, request.key
        world.sent.append(request)
        if world.next in (Outcome.BUSY, Outcome.REFUSED):
            permanent = world.next is Outcome.REFUSED
            raise EffectFailed(world.next.value, permanent=permanent, may_have_happened=False)
        world.tries[key] += 1
        if world.next is Outcome.DROPPED:
            raise RuntimeError("the connection broke")
        world.effects[key] = 1 if self.dedupes else world.effects[key] + 1
        if world.next is Outcome.LOST:
            raise EffectFailed("no answer", permanent=False, may_have_happened=True)
        return Effect(SETTLED if world.next is Outcome.SETTLED else SUBMITTED, f"p-{key}", {})

    def look_up(self, request: EffectRequest) -> Effect | None:
        if self.provider.silent:
            raise EffectFailed("nobody answers", permanent=False, may_have_happened=True)
        if not self.provider.effects[request.key]:
            return None
        return Effect(SETTLED, f"p-{request.key}", {})

    def check(self) -> str | None:
        return None


_CAN: dict[str, tuple[bool, bool]] = {
    "refund": (True, True),
    "label": (False, True),
    "reply": (False, False),
    "webhook": (True, False),
    "exchange": (True, True),
}
_BACK = {
    "refund": "refund.reversal",
    "label": "label.void",
    "reply": "reply.correction",
    "webhook": "webhook.undo",
    "exchange": "exchange.restock",
}


def connectors(provider: Provider) -> Mapping[str, Connector]:
    """Each pairing of dedupes and can-look-up, for each kind and its way back."""
    ways: dict[str, Any] = {}
    for kind, (dedupes, can_look_up) in _CAN.items():
        ways[kind] = ways[_BACK[kind]] = Way(provider, kind, dedupes, can_look_up)
    return ways
