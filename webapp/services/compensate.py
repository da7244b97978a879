"""The way back after the effect: an action of its own, at most one live per action and name."""

from collections.abc import Mapping
from typing import Any

from webapp.domain.action import Action
from webapp.domain.drafts import read_payload
from webapp.domain.errors import Invalid, NotExecuted, UnknownOutcome
from webapp.domain.kinds.base import Done, WayBack
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import DraftResult, insert
from webapp.services.explain import check_kept, check_note, check_seen, require
from webapp.services.new import New, follow_up


def compensate(
    desk: Desk,
    action_id: str,
    caller: Caller,
    *,
    name: str,
    note: str = "",
    payload: Mapping[str, Any] | None = None,
    seen: int | None = None,
) -> DraftResult:
    """Draft the way back `name`, through the policy; the same one again while it lives.

    `payload` replaces single fields of what the kind would send. Raises NotFound, Changed,
    Invalid, NotExecuted, UnknownOutcome, Unavailable.
    """
    check_note(note, "/note")
    with desk.db.read() as tx:
        found = require(tx, action_id, caller)
    check_kept(found)
    way_back = _way_back(found, name)
    if found.state is State.UNKNOWN:
        raise UnknownOutcome("Nobody knows yet whether it happened: resolve that first.")
    if found.state is not State.EXECUTED:
        raise NotExecuted(f"The action is {found.state.words}: nothing to take back.")
    check_seen(found, seen)
    if way_back.needs_note and not note.strip():
        raise Invalid.field("/note", "is required: it is the text that goes out")
    return insert(desk, _new(found, way_back, caller, note, payload or {}))


def _way_back(found: Action, name: str) -> WayBack:
    way_back = found.of.way_back
    if way_back is None or way_back.name != name:
        known = way_back.name if way_back else "nothing"
        raise Invalid.field("/name", f"{name!r} is no way back from {found.kind}: {known} is")
    if not way_back.available(found.payload):
        raise Invalid.field("/name", f"this {found.kind} came without {name}")
    return way_back


def _new(
    found: Action, way_back: WayBack, caller: Caller, note: str, changes: Mapping[str, Any]
) -> New:
    effect = found.effect or {}
    done = Done(found.payload, str(effect.get("provider_id") or found.id), f"act_{found.id}")
    payload = read_payload(way_back.kind, way_back.build(done, note) | dict(changes), "/payload")
    summary = f"{way_back.label}: {found.summary}"[:500]
    draft = follow_up(found, way_back.kind, summary, note, payload)
    return New(
        kind=KINDS[way_back.kind],
        draft=draft,
        agent=found.agent,
        drafted_by=caller.actor,
        compensates=found.id,
    )
