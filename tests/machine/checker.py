"""The promises, held against the database after every step. Each check yields what is wrong."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.machine.model import Model
from tests.machine.provider import Provider, connectors
from tests.machine.seen import Seen
from webapp.domain.drafts import fingerprint
from webapp.domain.ids import idempotency_key
from webapp.domain.states import ARROWS, FIRST, RAN_OUT, TERMINAL, State

_BEFORE_THE_EFFECT = (State.AWAITING_APPROVAL, State.SCHEDULED, State.HELD)
_SHOWN = (
    *("state", "payload", "execute_at", "cancel_by", "attempt", "effect", "error", "merges"),
    *("cancelled_by", "late_cancel_by", "finished_at"),
)
"""What people are shown of a row: none of it changes under the same version."""


def check(before: Seen, after: Seen, model: Model, provider: Provider) -> list[str]:
    """Everything that is wrong after one step."""
    return [
        *_as_the_model_says(after, model),
        *_rows(before, after),
        *_events(before, after),
        *_families(after),
        *_stock(after, model),
        *_effects(after, provider),
    ]


def _as_the_model_says(seen: Seen, model: Model) -> Iterator[str]:
    for one in model.rows.values():
        row = seen.rows.get(one.id)
        if row is None:
            yield f"{one.id} is lost"
        elif (row.state, row.attempt) != (one.state, one.attempt):
            yield f"{one.id} ({one.kind}) is {row.state}, attempt {row.attempt}: the model: {one}"
        elif seen.parents[one.id] != one.parents:
            yield f"{one.id} waits for {seen.parents[one.id]}; the model: {one}"
        elif (row.late_cancel_at is not None) != one.late:
            yield f"{one.id}: late cancel at {row.late_cancel_at}; the model: {one}"
    for action_id in seen.rows.keys() - model.rows.keys():
        yield f"{action_id} came from nowhere"


def _rows(before: Seen, after: Seen) -> Iterator[str]:
    for row in after.rows.values():
        if (row.state in TERMINAL) != (row.finished_at is not None):
            yield f"{row.id} is {row.state}, finished at {row.finished_at}"
        if fingerprint(row.payload) != row.payload_hash:
            yield f"{row.id}: the hash is not the payload's"
        old = before.rows.get(row.id)
        if old is None:
            continue
        changed = [name for name in _SHOWN if getattr(old, name) != getattr(row, name)]
        if changed and row.version <= old.version:
            yield f"{row.id}: {changed} changed under version {row.version}"
        if row.version < old.version:
            yield f"{row.id}: version {row.version} after {old.version}"
        if old.state in TERMINAL and old.finished_at != row.finished_at:
            yield f"{row.id} ended twice"
        if old.payload != row.payload and row.merges != old.merges + 1:
            yield f"{row.id}: its payload changed, and nothing joined it"
        if row.attempt > old.attempt and not _may_begin(old, after.now):
            yield f"{row.id} was claimed at {after.now}, from {old}"


def _may_begin(old: Any, now: int) -> bool:
    """Promise 3 for a claim, the lease for a take-over."""
    if old.state == State.EXECUTING:
        return bool(old.lease_until < now)
    return bool(old.state == State.SCHEDULED and old.execute_at <= now)


def _events(before: Seen, after: Seen) -> Iterator[str]:
    states = {row.id: row.state for row in before.rows.values()}
    for event in after.events:
        came, went = event.from_state, event.to_state
        if came != states.get(event.action):
            yield f"{event.action}: {event.verb} from {came}, it was {states.get(event.action)}"
        if came is None and went not in FIRST:
            yield f"{event.action} began as {went}"
        if came is not None and came != went and (came, went) not in ARROWS:
            yield f"{event.action}: {event.verb} from {came} to {went} is no arrow"
        if event.at != after.now:
            yield f"{event.action}: {event.verb} at {event.at}, it is {after.now}"
        states[event.action] = went
    for row in after.rows.values():
        if states.get(row.id) != row.state:
            yield f"{row.id} is {row.state}, its last event says {states.get(row.id)}"
    told = {event.action for event in after.events}
    for row in after.rows.values():
        old = before.rows.get(row.id)
        if old is not None and old.version != row.version and row.id not in told:
            yield f"{row.id} became version {row.version}, and no event says so"


def _families(seen: Seen) -> Iterator[str]:
    for row in seen.rows.values():
        states = {seen.rows[one].state for one in seen.parents[row.id]}
        short = sum(seen.rows[one].state != State.EXECUTED for one in seen.parents[row.id])
        if row.blockers != short:
            yield f"{row.id} counts {row.blockers} blockers of {short}"
        if row.state in RAN_OUT:
            continue
        if states & {State.CANCELLED, State.REJECTED}:
            yield f"{row.id} is {row.state} under a parent that was cancelled or rejected"
        if row.state not in _BEFORE_THE_EFFECT and short:
            yield f"{row.id} is {row.state} before what it depends on"
        if State.FAILED in states and row.state == State.SCHEDULED:
            yield f"{row.id} is scheduled under a parent that failed"
    repairs = Counter(
        (row.compensates, row.kind)
        for row in seen.rows.values()
        if row.compensates is not None and row.state not in RAN_OUT
    )
    repeats = Counter(
        row.again_of
        for row in seen.rows.values()
        if row.again_of is not None and row.state not in RAN_OUT
    )
    yield from (f"{number} ways back live: {one}" for one, number in repairs.items() if number > 1)
    yield from (
        f"{one} was repeated {number} times" for one, number in repeats.items() if number > 1
    )


def _stock(seen: Seen, model: Model) -> Iterator[str]:
    reserved = 0
    for action_id, kept in seen.kept.items():
        state = seen.rows[action_id].state
        reserved += kept.quantity if kept.released_at is None else 0
        if (kept.released_at is not None) != (state in RAN_OUT):
            yield f"{action_id} is {state}, its reservation released at {kept.released_at}"
    if seen.available < 0 or seen.available + reserved != model.stock:
        yield f"stock: {seen.available} available and {reserved} kept of {model.stock}"


def _effects(seen: Seen, provider: Provider) -> Iterator[str]:
    ways = connectors(provider)
    keys = {idempotency_key(row.id): row for row in seen.rows.values()}
    for key in provider.effects.keys() - keys.keys():
        yield f"an effect {key} without an action"
    for key, row in keys.items():
        number, way = provider.effects[key], ways[row.kind]
        if row.state == State.EXECUTED and number != 1:
            yield f"{row.id} ({row.kind}) is executed with {number} effects"
        if (row.state in RAN_OUT or row.state in _BEFORE_THE_EFFECT) and number:
            yield f"{row.id} ({row.kind}) is {row.state} and had its effect"
        if number > 1:
            yield f"{row.id} ({row.kind}) had {number} effects"
        if not (way.dedupes or way.can_look_up) and provider.tries[key] > 1:
            yield f"{row.id} ({row.kind}) was tried {provider.tries[key]} times without knowing"
