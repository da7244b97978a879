"""One attempt, from its claim to what is written down about it: the only way to an effect.

A claim -> is the lease still ours -> is the payload the one that was shown -> send -> `Finish`.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from webapp.connectors.base import SUBMITTED, Connector, Effect, EffectFailed, EffectRequest
from webapp.domain.drafts import fingerprint
from webapp.domain.errors import Unavailable
from webapp.domain.ids import idempotency_key
from webapp.domain.policy import default_policy
from webapp.domain.states import State
from webapp.domain.text import impersonal
from webapp.domain.times import SECOND
from webapp.failpoints import BEFORE_SEND, reach
from webapp.services.desk import Desk
from webapp.store.claims import Claim, Finish

LONGEST_PAUSE = 60
"""Seconds between two attempts, at most."""

# A connector's detail is its own: what is no JSON value is kept as its text.
_ENCODER = json.JSONEncoder(default=str)
_jitter = random.SystemRandom()


@dataclass(slots=True)
class Attempt:
    """A claim in a worker's hands.

    `lease_end` is `time.monotonic()` until which the claim is surely this worker's own: counted
    from before the claim was sent, moved on by its heartbeat. `taken_over`: an attempt before
    this one may have had the effect.
    """

    claim: Claim
    lease_end: float
    taken_over: bool = False


@dataclass(frozen=True, slots=True)
class Means:
    """What executing needs besides the claim. `monotonic` is the clock of leases and deadlines."""

    desk: Desk
    connectors: Mapping[str, Connector]
    monotonic: Callable[[], float]


def execute(means: Means, attempt: Attempt) -> Finish:
    """Make the effect and say how it ended. Never raises."""
    connector = means.connectors.get(attempt.claim.kind)
    if connector is None:
        failure = _refused(f"no connector serves {attempt.claim.kind}")
        if attempt.taken_over:
            return unknown(attempt.claim, failure)
        return no_effect(means, attempt, failure)
    try:
        deadline = _still_ours(means, attempt)
        request = effect_request(attempt.claim, deadline)
        reach("effect", BEFORE_SEND)
        return happened(attempt.claim, connector.send(request))
    except EffectFailed as failure:
        return did_not(means, attempt, connector, failure)
    except Exception as surprise:  # noqa: BLE001 - whatever it was, the effect may have happened
        return did_not(means, attempt, connector, unforeseen(surprise))


def look_up(means: Means, attempt: Attempt, connector: Connector) -> Effect | None:
    """The provider's word; None when the effect certainly never happened. Raises EffectFailed."""
    deadline = means.monotonic() + means.desk.settings.connector_deadline_seconds
    try:
        return connector.look_up(effect_request(attempt.claim, deadline))
    except EffectFailed:
        raise
    except Exception as surprise:
        raise unforeseen(surprise) from surprise


def effect_request(claim: Claim, deadline: float) -> EffectRequest:
    """What the connector gets: exactly the payload that was shown. Raises EffectFailed."""
    if fingerprint(claim.payload) != claim.payload_hash:
        raise _refused("the stored payload is not the one that was shown: it was not sent")
    return EffectRequest(
        key=idempotency_key(claim.id),
        kind=claim.kind,
        payload=json.loads(claim.payload),
        action_id=claim.id,
        attempt=claim.attempt,
        deadline=deadline,
    )


def happened(claim: Claim, effect: Effect) -> Finish:
    """executing -> executed."""
    return Finish(
        claim.id,
        claim.attempt,
        State.EXECUTED,
        effect=as_json(effect),
        retry_at=0 if effect.status == SUBMITTED else None,
        data=_json({"attempt": claim.attempt, "provider_id": effect.provider_id}),
    )


def as_json(effect: Effect) -> str:
    """As the row keeps it."""
    return _json(
        {"status": effect.status, "provider_id": effect.provider_id, "detail": effect.detail}
    )


def did_not(means: Means, attempt: Attempt, connector: Connector, failure: EffectFailed) -> Finish:
    """What follows when no effect was reported: asked at the provider where it may have been."""
    if not (failure.may_have_happened or attempt.taken_over):
        return no_effect(means, attempt, failure)
    if not connector.can_look_up:
        return in_doubt(means, attempt, connector, failure)
    try:
        effect = look_up(means, attempt, connector)
    except EffectFailed as silence:
        return in_doubt(means, attempt, connector, silence)
    if effect is not None:
        return happened(attempt.claim, effect)
    return no_effect(means, attempt, failure)


def no_effect(means: Means, attempt: Attempt, failure: EffectFailed) -> Finish:
    """executing -> scheduled while it is worth another try, else failed: certainly no effect.

    Where a cancel was recorded, either becomes `cancelled` as it is written.
    """
    claim = attempt.claim
    again = not failure.permanent and claim.attempt < attempts_allowed(means.desk, claim.kind)
    if again:
        return _failed(claim, State.SCHEDULED, failure, _retry_at(means, claim), may_have=False)
    return _failed(claim, State.FAILED, failure, None, may_have=False)


def in_doubt(means: Means, attempt: Attempt, connector: Connector, failure: EffectFailed) -> Finish:
    """Nobody can say: the sweep tries with the same key or asks again, else it stays unknown."""
    claim = attempt.claim
    another = connector.can_look_up or (connector.dedupes and not failure.permanent)
    if another and claim.attempt < attempts_allowed(means.desk, claim.kind):
        return _failed(claim, State.EXECUTING, failure, _retry_at(means, claim), may_have=True)
    return unknown(claim, failure)


def unknown(claim: Claim, failure: EffectFailed) -> Finish:
    """executing -> unknown: a person finds out."""
    return _failed(claim, State.UNKNOWN, failure, None, may_have=True)


def unforeseen(surprise: BaseException) -> EffectFailed:
    """Any other exception of a connector: the effect may have happened."""
    words = f"{type(surprise).__name__}: {surprise}".removesuffix(": ")
    return EffectFailed(words, permanent=False, may_have_happened=True)


def attempts_allowed(desk: Desk, kind: str) -> int:
    """The policy's `max_attempts`; its default while the table can't be read."""
    try:
        return desk.policy(kind).max_attempts
    except Unavailable:
        return default_policy(kind).max_attempts


def _still_ours(means: Means, attempt: Attempt) -> float:
    """`monotonic()` by which the effect must be over: never after the lease. Raises EffectFailed.

    A worker that slept through its lease must not send: somebody else may have taken over.
    """
    now = means.monotonic()
    if now >= attempt.lease_end:
        raise EffectFailed(
            "the lease was over before the effect began",
            permanent=False,
            may_have_happened=False,
        )
    return min(now + means.desk.settings.connector_deadline_seconds, attempt.lease_end)


def pause_seconds(attempt: int, chance: random.Random) -> float:
    """Before the next attempt: doubling up to LONGEST_PAUSE, and up to half of it less."""
    longest = min(LONGEST_PAUSE, 1 << attempt)
    return longest * chance.uniform(0.5, 1)


def _retry_at(means: Means, claim: Claim) -> int:
    return means.desk.now() + round(pause_seconds(claim.attempt, _jitter) * SECOND)


def _failed(
    claim: Claim, state: State, failure: EffectFailed, retry_at: int | None, *, may_have: bool
) -> Finish:
    error = {
        "message": str(failure),
        "permanent": failure.permanent,
        "may_have_happened": may_have,
        "detail": failure.detail,
    }
    # Events outlive the payload, which the row's error may repeat.
    said = impersonal(str(failure), json.loads(claim.payload))
    data: dict[str, Any] = {"attempt": claim.attempt, "error": said}
    if retry_at is not None:
        data["retry_at"] = retry_at
    return Finish(
        claim.id, claim.attempt, state, error=_json(error), retry_at=retry_at, data=_json(data)
    )


def _refused(message: str) -> EffectFailed:
    return EffectFailed(message, permanent=True, may_have_happened=False)


def _json(value: object) -> str:
    return _ENCODER.encode(value)
