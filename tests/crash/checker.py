"""What must hold when everything has settled: rows, answers, effects, stock and feed agree.

Read from the database directly, and counted outside the desk's processes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.crash.answers import Answer, Client
from tests.crash.stage import STOCK, Stage
from tests.fixtures.desk import wait_until
from webapp.domain.errors import Unavailable
from webapp.domain.ids import idempotency_key

_OPEN = (
    "SELECT id, kind, state, attempt, blockers, execute_at, lease_until, worker, error FROM action "
    "WHERE state NOT IN ('executed', 'cancelled', 'rejected', 'failed', 'unknown')"
)
_ROWS = "SELECT id, kind, state, reserved_until, late_cancel_at, compensates FROM action"
_EVENTS = "SELECT id, action, verb, to_state, at FROM event ORDER BY txid, id"
_LINKS = "SELECT child, parent FROM dependency"
_TAKEN = "SELECT action, quantity, released_at FROM reservation"
_STOCK = "SELECT sum(available) AS available FROM stock"
_RAN_OUT = frozenset({"cancelled", "rejected", "failed"})


@dataclass(frozen=True, slots=True)
class Seen:
    """The database at one moment."""

    rows: Mapping[str, Any]
    events: list[Any]
    links: list[tuple[str, str]]
    taken: Mapping[str, Any]
    available: int
    one_writer: bool


def still_open(stage: Stage) -> list[Any]:
    """What is neither final nor unknown; read as often as it takes."""
    with stage.services.db.connection() as conn:
        return list(conn.exec_driver_sql(_OPEN))


def settled(stage: Stage, actions: Sequence[str] | None = None) -> bool:
    """Whether nothing is left to do, or nothing of these."""
    try:
        rows = still_open(stage)
    except Unavailable:
        return False
    return not rows if actions is None else {row.id for row in rows}.isdisjoint(actions)


def check(stage: Stage) -> list[str]:
    """What is wrong now; everything must have settled."""
    with stage.services.db.connection() as conn:
        seen = Seen(
            {row.id: row for row in conn.exec_driver_sql(_ROWS)},
            list(conn.exec_driver_sql(_EVENTS)),
            [(row.child, row.parent) for row in conn.exec_driver_sql(_LINKS)],
            {row.action: row for row in conn.exec_driver_sql(_TAKEN)},
            int(conn.exec_driver_sql(_STOCK).scalar() or 0),
            stage.services.db.dialect == "sqlite",
        )
    faults = [
        *stage.answers.faults,
        *_answers(seen, stage.answers.given),
        *_effects(seen, stage.effects()),
        *_families(seen),
        *_stock(seen),
        *_feed(seen, stage),
    ]
    stage.answers.faults.clear()
    return faults


def _answers(seen: Seen, given: list[Answer]) -> Iterator[str]:
    for answer in list(given):
        row = seen.rows.get(answer.action)
        if row is None:
            yield f"{answer.what} of {answer.action} was answered {answer.status}: there is no row"
        elif answer.what == "cancel" and not _told_the_truth(answer, row):
            told = {name: answer.body.get(name) for name in ("result", "code", "cancel_recorded")}
            yield f"cancel of {answer.action}: {answer.status} {told}, the row is {row.state}"
    made = [answer for answer in given if answer.what == "compensate"]
    if len({answer.action for answer in made}) != len(made):
        yield "two compensations were answered with the same action"


def _told_the_truth(answer: Answer, row: Any) -> bool:
    result = answer.body.get("result") or answer.body.get("code")
    if (answer.status, result) == (200, "cancelled"):
        return bool(row.state == "cancelled")
    if (answer.status, result) != (409, "too_late"):
        # Each action has one who cancels it: nobody else can have been first.
        return False
    if answer.body.get("cancel_recorded"):
        return row.late_cancel_at is not None and row.state != "scheduled"
    return bool(row.state == "executed")


def _effects(seen: Seen, made: Mapping[str, Counter[str]]) -> Iterator[str]:
    total = Counter(key for counts in made.values() for key in counts)
    for action in seen.rows.values():
        count = total.pop(idempotency_key(action.id), 0)
        if action.state == "executed" and count != 1:
            yield f"{action.id} ({action.kind}) is executed with {count} effects"
        elif action.state in _RAN_OUT and count:
            yield f"{action.id} ({action.kind}) is {action.state} and had its effect"
    for key in total:
        yield f"an effect {key} without an action"
    for name in ("sandbox", "smtp"):
        # The webhook's peer counts calls; one that dedupes would have had one effect a key.
        for key, count in made[name].items():
            if count != 1:
                yield f"{name} had {count} effects for {key}"


def _families(seen: Seen) -> Iterator[str]:
    place: dict[tuple[str, str], int] = {}
    for event in seen.events:
        # Differs because SQLite's ids are the commits' order, and PostgreSQL's clock stays right:
        # there a transaction that began before the parent's may have claimed after it.
        place.setdefault((event.action, event.verb), event.id if seen.one_writer else event.at)
    for child, parent in seen.links:
        states = seen.rows[parent].state, seen.rows[child].state
        if states[0] in _RAN_OUT and states[1] != "cancelled":
            yield f"{child} is {states[1]} under {parent}, which is {states[0]}"
        claimed, done = place.get((child, "claimed")), place.get((parent, "executed"))
        if claimed is not None and (done is None or done > claimed):
            yield f"{child} was claimed before {parent} was executed"


def _stock(seen: Seen) -> Iterator[str]:
    kept = 0
    for action, taken in seen.taken.items():
        state = seen.rows[action].state
        kept += taken.quantity if taken.released_at is None else 0
        if (taken.released_at is not None) != (state in _RAN_OUT):
            yield f"{action} is {state}, its reservation released at {taken.released_at}"
    if seen.available + kept != STOCK:
        yield f"stock: {seen.available} available and {kept} kept of {STOCK}"


def _feed(seen: Seen, stage: Stage) -> Iterator[str]:
    last = {event.action: event.to_state for event in seen.events}
    for action in seen.rows.values():
        if last.get(action.id) != action.state:
            yield f"{action.id} is {action.state}, its last event says {last.get(action.id)}"
    claims = defaultdict(list)
    for event in seen.events:
        if event.verb in ("executed", "cancelled", "cancelled_with_parent", "failed"):
            claims[event.action].append(event.verb)
    for action_id, ends in claims.items():
        if len(ends) != 1:
            yield f"{action_id} ended {len(ends)} times: {ends}"
    wanted = {event.id for event in seen.events}
    try:
        # What a worker still notes meanwhile, of an effect that was only submitted, comes as well.
        wait_until(lambda: wanted <= set(stage.followed), seconds=30)
    except AssertionError:
        yield f"the feed left out {len(wanted - set(stage.followed))} of {len(wanted)} events"
    twice = [one for one, count in Counter(stage.followed).items() if count > 1]
    if twice:
        yield f"the feed brought {len(twice)} events twice"


def follow(stage: Stage) -> None:
    """Reads the feed as it grows, over restarts, until the stage is over."""
    client = Client(stage.desk.url, stage.token, stage.answers)
    cursor = "0.0"
    while not stage.over.is_set():
        try:
            page = client.events(cursor)
        except AssertionError:
            continue
        stage.followed += [event["id"] for event in page["events"]]
        cursor = page["cursor"]
        if not page["events"]:
            stage.over.wait(0.1)
