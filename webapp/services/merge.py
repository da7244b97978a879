"""Joining: a draft with a `merge_key` becomes part of the scheduled action of its scope.

It begins an action of its own where there is none to join: claimed, cancelled or held meanwhile,
approved or sent ahead by a person, full, too long together, or needing approval together (from
`scheduled` no arrow leads to `awaiting_approval`).
"""

from collections.abc import Callable

from webapp.domain.action import Action
from webapp.domain.decision import decide
from webapp.domain.drafts import Draft, canonical, fingerprint
from webapp.domain.kinds.registry import KINDS
from webapp.domain.merging import joined
from webapp.domain.rules import Facts
from webapp.domain.states import State
from webapp.services.desk import Desk, PolicyTable
from webapp.store import actions, merging
from webapp.store.drafting import Drafted, NewAction
from webapp.store.engine import AnyRow, Tx
from webapp.store.turns import take_turns


def write(
    desk: Desk,
    row: NewAction,
    asked: Draft,
    table: PolicyTable,
    turns: tuple[str, ...],
    begin: Callable[[Tx], tuple[Drafted, Action]],
) -> tuple[Drafted, Action | None]:
    """Join, or `begin`, in one transaction.

    `turns` are those that `begin` needs: before any row is locked.
    """

    def work(tx: Tx) -> tuple[Drafted, Action | None]:
        values = row.values
        merging.take_turns(tx, values)
        take_turns(tx, *turns)
        if actions.exists(tx, values["id"], values["agent"], values["draft_key"]):
            return Drafted.KNOWN, None
        found = merging.target(tx, values)
        if found is not None and _join(desk, tx, row, asked, table, found):
            return Drafted.JOINED, actions.get(tx, found.id)
        return begin(tx)

    return desk.db.transact(work)


def _join(
    desk: Desk, tx: Tx, row: NewAction, asked: Draft, table: PolicyTable, found: AnyRow
) -> bool:
    """Decides on what both say together; never nearer than what people were shown."""
    kind, drafts = KINDS[found.kind], found.merges + 1
    payload = joined(kind, found.payload, asked.payload, drafts)
    if payload is None:
        return False
    not_before = max(found.not_before_at or 0, asked.not_before_at or 0) or None
    flagged = asked.customer.ref in table.flagged
    facts = Facts(kind, payload, desk.now(), flagged, not_before, zone=desk.zone)
    policy = table.row(kind.name)
    decision = decide(policy, facts)
    if decision.state is not State.SCHEDULED or decision.execute_at is None:
        return False
    execute_at = max(decision.execute_at, found.execute_at)
    because = [f"joined from {drafts + 1} drafts", *decision.because]
    text = canonical(payload)
    becomes = {
        "payload": text,
        "payload_hash": fingerprint(text),
        "decision": canonical(decision.as_json() | {"because": because}),
        "not_before_at": not_before,
        "window": decision.window,
        "margin": decision.margin,
        "cancel_by": execute_at - decision.margin,
        "execute_at": execute_at,
        "unseen": policy.needs_eyes,
    }
    return merging.merge(tx, found, row.values, becomes, table.revision)
