"""Drafting: the policy decides where an action begins, and the key makes a repeat harmless."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from webapp.connectors.targets import check_headers, check_target
from webapp.domain.action import Action
from webapp.domain.decision import Decision, approve_by, decide
from webapp.domain.drafts import Draft, canonical, fingerprint, read_draft
from webapp.domain.errors import (
    DependencyNotLive,
    Invalid,
    KeyReused,
    KindOff,
    NotFound,
    OutOfStock,
    WrongState,
)
from webapp.domain.ids import new_id
from webapp.domain.kinds.registry import KINDS
from webapp.domain.merging import check_merge_key, scope
from webapp.domain.policy import Policy
from webapp.domain.rules import NOTHING_PAST, Facts, Past
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import merge
from webapp.services.desk import Desk, PolicyTable
from webapp.services.new import New
from webapp.services.past import Asks
from webapp.store import actions, drafting
from webapp.store.agents import Agent
from webapp.store.drafting import Drafted, NewAction
from webapp.store.engine import Tx
from webapp.store.transitions import RESERVED_BEYOND
from webapp.store.turns import take_turns


@dataclass(frozen=True, slots=True)
class DraftResult:
    """The action, and whether this call made it.

    False: its key had been used before, or it joined an action that was scheduled already.
    """

    action: Action
    created: bool


def draft(desk: Desk, agent: Agent, body: object, key: str | None) -> DraftResult:
    """A new action from an agent's body, or the one that it joins by its `merge_key`.

    Raises Invalid, KindOff, KeyReused, NotFound (a dependency), DependencyNotLive, OutOfStock,
    Unavailable.
    """
    asked = read_draft(body)
    check_merge_key(asked.kind, asked.merge_key)
    _check_targets(desk, asked)
    new = New(
        kind=KINDS[asked.kind],
        draft=asked,
        agent=agent.name,
        drafted_by=f"agent:{agent.name}",
        key=key,
        body_hash=fingerprint(canonical(body)),
    )
    return insert(desk, new)


def insert(desk: Desk, new: New) -> DraftResult:
    """Decide and insert, again when the policy table moved in between."""
    table = desk.last_table()
    action_id = new_id(desk.now())
    while True:
        asks = Asks(new, table.row(new.kind.name))
        try:
            row = _row(desk, new, table, action_id)
        except KindOff:
            return _known_although_off(desk, new)
        done, found = _write(desk, new, row, table, asks)
        if done is Drafted.JOINED and found is not None:
            return DraftResult(found, created=False)
        if done is Drafted.NEW and found is not None:
            return DraftResult(found, created=True)
        if done is Drafted.STALE:
            table = desk.table()
        elif known := _known(desk, new, action_id):
            return known


def _write(
    desk: Desk, new: New, row: NewAction, table: PolicyTable, asks: Asks
) -> tuple[Drafted, Action | None]:
    begin = _beginning(desk, new, row, table, asks)
    if row.values["merge_scope"] is not None:
        return merge.write(desk, row, new.draft, table, asks.turns, begin)
    parents = tuple(dict.fromkeys(new.draft.depends_on))
    wanted = new.kind.reserves(new.draft.payload)
    if not parents and wanted is None and not asks.exact:
        does = "draft" if new.compensates is None else "compensate"
        return desk.db.statement(begin, does=does)

    def work(tx: Tx) -> tuple[Drafted, Action | None]:
        take_turns(tx, *asks.turns)
        if actions.exists(tx, row.values["id"], new.agent, new.key):
            return Drafted.KNOWN, None
        blockers = _lock(tx, new, parents) if parents else 0
        if wanted is not None and not drafting.take_stock(tx, wanted):
            raise OutOfStock(f"Fewer than {wanted.quantity} of {wanted.sku} are available.")
        done, _ = begin(tx, blockers)
        if done is not Drafted.NEW:
            raise _Undone(done)
        if parents:
            drafting.depend(tx, row.values["id"], parents)
        if wanted is not None:
            drafting.reserve(tx, row.values["id"], wanted)
        return done, actions.get(tx, row.values["id"])

    try:
        return desk.db.transact(work)
    except _Undone as undone:
        return undone.done, None


def _beginning(
    desk: Desk, new: New, row: NewAction, table: PolicyTable, asks: Asks
) -> Callable[..., tuple[Drafted, Action]]:
    """What inserts the row: decided again where the past says more, and stopping its agent."""

    def begin(tx: Tx, blockers: int = 0) -> tuple[Drafted, Action]:
        decided, now = row, desk.now()
        seen = asks.look(tx, now) if asks else NOTHING_PAST
        if asks.exact or seen != NOTHING_PAST:
            decided = _row(desk, new, table, row.values["id"], seen)
        if blockers:
            decided = replace(decided, values={**decided.values, "blockers": blockers})
        done = drafting.draft(tx, decided)
        if done is Drafted.NEW and decided.stops:
            asks.stop(tx, now, row.values["id"], decided.stops)
        return done, actions.as_inserted(decided.values)

    return begin


class _Undone(Exception):
    """The insert found a row or a newer table: what the transaction took goes back."""

    def __init__(self, done: Drafted) -> None:
        self.done = done


def _lock(tx: Tx, new: New, parents: tuple[str, ...]) -> int:
    rows = drafting.lock_parents(tx, parents)
    mine = {row.id for row in rows if row.agent == new.agent}
    for number, parent in enumerate(new.draft.depends_on):
        if parent not in mine:
            raise NotFound(f"/depends_on/{number}: there is no action {parent[:60]} of this agent.")
    if dead := drafting.dead(rows):
        raise DependencyNotLive(f"{', '.join(dead)}: ended without an effect.")
    return drafting.blockers(rows)


def _row(
    desk: Desk, new: New, table: PolicyTable, action_id: str, past: Past = NOTHING_PAST
) -> NewAction:
    now = desk.now()
    asked = new.draft
    policy = table.row(new.kind.name)
    flagged = asked.customer.ref in table.flagged
    not_before = asked.not_before_at
    facts = Facts(new.kind, asked.payload, now, flagged, not_before, past, desk.zone)
    decision = decide(policy, facts)
    amount = new.kind.amount(asked.payload)
    payload = canonical(asked.payload)
    reserves = new.kind.reserves(asked.payload) is not None
    values: dict[str, Any] = {
        "id": action_id,
        "kind": new.kind.name,
        "state": decision.state.value,
        "summary": asked.summary,
        "reason": asked.reason,
        "payload": payload,
        "payload_hash": fingerprint(payload),
        "amount_value": amount and amount[0],
        "amount_currency": amount and amount[1],
        "customer": canonical(asked.customer.model_dump(exclude_none=True)),
        "customer_ref": asked.customer.ref,
        "order_ref": asked.order,
        "agent": new.agent,
        "drafted_by": new.drafted_by,
        "drafted_at": now,
        "not_before_at": asked.not_before_at,
        "draft_key": new.key,
        "draft_hash": new.body_hash,
        **_timing(decision),
        "overdue_after": policy.max_overdue_seconds * SECOND,
        "unseen": policy.needs_eyes,
        "approve_by": approve_by(policy, decision, now),
        "decision": canonical(decision.as_json()),
        "state_by": "policy",
        "state_reason": "; ".join(decision.trips) if decision.state is State.HELD else None,
        "reserved_until": _reserved_until(now, policy, decision) if reserves else None,
        "compensates": new.compensates,
        "again_of": new.again_of,
        "merge_key": asked.merge_key,
        "merge_scope": _merge_scope(new),
    }
    said = {"mode": decision.mode.value, "because": list(decision.because)}
    data = said | {"reason": new.reason} if new.reason else said
    return NewAction(values, table.revision, canonical(data), "; ".join(decision.trips))


def _merge_scope(new: New) -> str | None:
    """None where it neither joins nor is joined: what waits for others waits alone."""
    asked = new.draft
    if asked.merge_key is None or asked.depends_on:
        return None
    return scope(new.kind, new.agent, asked.customer.ref, asked.payload, asked.merge_key)


def _reserved_until(now: int, policy: Policy, decision: Decision) -> int:
    """The policy's time, and never before it runs: `not_before` may be far away."""
    least = (decision.execute_at or now) + RESERVED_BEYOND
    return max(now + policy.reservation_seconds * SECOND, least)


def _timing(decision: Decision) -> dict[str, int | None]:
    return {
        "window": decision.window,
        "margin": decision.margin,
        "cancel_by": decision.cancel_by,
        "execute_at": decision.execute_at,
        "claimable_at": decision.execute_at,
    }


def _known(desk: Desk, new: New, action_id: str) -> DraftResult | None:
    """What stood in the insert's way; None when it has ended since."""
    with desk.db.read() as tx:
        first = actions.get(tx, action_id)
        if first is not None:
            # The connection was lost after the commit: this very call had made it.
            return DraftResult(first, created=True)
        joined = actions.joined_by(tx, action_id)
        if joined is not None:
            return DraftResult(joined, created=False)
        known = actions.by_draft_key(tx, new.agent, new.key) if new.key else None
        if known is not None:
            found, body_hash = known
            if body_hash != new.body_hash:
                raise KeyReused("This Idempotency-Key was used with another body; use a new one.")
            return DraftResult(found, created=False)
        repair = actions.live_repair(tx, new.compensates or "", new.kind.name)
        if new.again_of is not None:
            if repeat := actions.live_again(tx, new.again_of) or repair:
                raise WrongState(f"It was scheduled again before, as {repeat}.")
            return None
        found_repair = actions.get(tx, repair or "")
        return None if found_repair is None else DraftResult(found_repair, created=False)


def _known_although_off(desk: Desk, new: New) -> DraftResult:
    """A repeat answers as the first did; anything else is refused as it was."""
    table = desk.table()
    with desk.db.read() as tx:
        repeated = new.key is not None and actions.by_draft_key(tx, new.agent, new.key)
    if repeated and (known := _known(desk, new, "")):
        return known
    _row(desk, new, table, "")
    return insert(desk, new)


def _check_targets(desk: Desk, asked: Draft) -> None:
    if asked.kind != "webhook":
        return
    undo = asked.payload.get("undo") or {}
    for pointer, url in (("/url", asked.payload["url"]), ("/undo/url", undo.get("url"))):
        refused = url and check_target(url, desk.settings.webhook_allow)
        if refused:
            raise Invalid.field(f"/payload{pointer}", refused)
    if refused := check_headers(asked.payload["headers"]):
        raise Invalid.field("/payload/headers", refused)
