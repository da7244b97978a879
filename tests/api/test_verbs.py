"""What staff do to one action: the states that allow it, and the codes of those that do not."""

from datetime import datetime
from typing import Any

import pytest

from tests.api.world import PAYLOADS, World
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.domain.verbs import ALLOWED, Verb

CALLS: dict[Verb, tuple[str, dict[str, Any]]] = {
    Verb.APPROVE: ("approval", {}),
    Verb.REJECT: ("rejection", {"reason": "not ours"}),
    Verb.HOLD: ("hold", {}),
    Verb.RELEASE: ("release", {}),
    Verb.EXTEND: ("extension", {"seconds": 60}),
    Verb.RUN_NOW: ("run-now", {}),
    Verb.COMPENSATE: ("compensation", {"name": "reversal"}),
    Verb.AGAIN: ("again", {}),
    Verb.RESOLVE: ("resolution", {"outcome": "happened", "note": "seen at the provider"}),
}
CODES = {
    Verb.APPROVE: "not_awaiting",
    Verb.REJECT: "not_awaiting",
    Verb.HOLD: "too_late",
    Verb.RELEASE: "not_held",
    Verb.EXTEND: "too_late",
    Verb.RUN_NOW: "too_late",
    Verb.COMPENSATE: "not_executed",
    Verb.AGAIN: "wrong_state",
    Verb.RESOLVE: "not_unknown",
}


def seconds_between(earlier: str, later: str) -> float:
    apart = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return apart.total_seconds()


@pytest.mark.parametrize("state", State)
def test_each_state_allows_its_verbs_and_refuses_the_others(world: World, state: State) -> None:
    """By the one table for API and pages, domain/verbs.py."""
    for verb, (path, body) in CALLS.items():
        action = world.put(state)
        answer = world.ana.post(f"/actions/{action['id']}/{path}", body)
        if state in ALLOWED[verb]:
            assert answer.status_code in (200, 201), (verb, answer.text)
            continue
        assert answer.status_code == 409, (verb, answer.text)
        assert answer.mimetype == "application/problem+json"
        unknown = verb is Verb.COMPENSATE and state is State.UNKNOWN
        assert answer.json["code"] == ("unknown_outcome" if unknown else CODES[verb])
        assert world.look(action["id"])["version"] == action["version"]


@pytest.mark.parametrize("state", [State.HELD, State.AWAITING_APPROVAL, State.EXECUTING])
@pytest.mark.parametrize("verb", [Verb.HOLD, Verb.EXTEND, Verb.RUN_NOW])
def test_what_waits_is_not_called_late(world: World, verb: Verb, state: State) -> None:
    """The contract gives these verbs one code, `too_late`; the words beside it are true."""
    action = world.put(state)
    path, body = CALLS[verb]
    answer = world.ana.post(f"/actions/{action['id']}/{path}", body).json
    assert answer["code"] == "too_late"
    assert answer["title"].startswith("Too late") is (state is State.EXECUTING)
    assert f"it is {state.words}" in answer["detail"]


@pytest.mark.parametrize("verb", CALLS)
def test_a_stale_version_is_refused(world: World, verb: Verb) -> None:
    state = min(ALLOWED[verb])
    action = world.put(state)
    path, body = CALLS[verb]
    stale = {**body, "version": action["version"] + 1}
    answer = world.ana.post(f"/actions/{action['id']}/{path}", stale)
    assert (answer.status_code, answer.json["code"]) == (409, "changed")
    seen = {**body, "version": action["version"]}
    assert world.ana.post(f"/actions/{action['id']}/{path}", seen).status_code in (200, 201)


@pytest.mark.parametrize("path", [path for path, _ in CALLS.values()])
def test_an_unknown_action_is_not_found(still: World, path: str) -> None:
    body = next(body for one, body in CALLS.values() if one == path)
    for action_id in ("01900000-0000-7000-8000-000000000000", "nonsense", "%00", "1" * 300):
        answer = still.ana.post(f"/actions/{action_id}/{path}", body)
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")


def test_an_approval_starts_the_short_window(world: World) -> None:
    action = world.put(State.AWAITING_APPROVAL)
    assert (action["execute_at"], action["cancel_by"]) == (None, None)
    approved = world.ana.post(f"/actions/{action['id']}/approval", {"reason": "checked"}).json
    assert approved["state"] == "scheduled"
    assert seconds_between(approved["cancel_by"], approved["execute_at"]) == 1
    assert seconds_between(approved["drafted_at"], approved["cancel_by"]) < 60


def test_a_rejection_ends_it_with_its_reason(world: World) -> None:
    action = world.put(State.AWAITING_APPROVAL)
    for body in ({}, {"reason": ""}, {"reason": "  "}, {"reason": None}):
        refused = world.ana.post(f"/actions/{action['id']}/rejection", body)
        assert refused.status_code == 400
        assert refused.json["errors"][0]["pointer"] == "/reason"
    rejected = world.ana.post(f"/actions/{action['id']}/rejection", {"reason": "no"}).json
    assert rejected["state"] == "rejected"
    assert rejected["finished_at"]


def test_a_hold_stops_the_clock_and_a_release_restarts_it(world: World) -> None:
    action = world.put(State.SCHEDULED)
    held = world.ana.post(f"/actions/{action['id']}/hold", {"reason": "asking"}).json
    assert (held["state"], held["execute_at"]) == ("held", None)
    released = world.ana.post(f"/actions/{action['id']}/release").json
    assert released["state"] == "scheduled"
    assert abs(seconds_between(action["execute_at"], released["execute_at"])) < 60


@pytest.mark.parametrize("seconds", [0, -1, 3601, 1.5, "60", True, None, 10**40])
def test_a_bad_extension_is_refused(still: World, seconds: object) -> None:
    action = still.put(State.SCHEDULED)
    answer = still.ana.post(f"/actions/{action['id']}/extension", {"seconds": seconds})
    assert answer.status_code == 400
    assert answer.json["errors"][0]["pointer"] == "/seconds"
    assert still.look(action["id"]) == action


def test_extensions_end_at_the_limit(world: World) -> None:
    """In all the larger of ten windows and one hour: ten windows of 600 s are 6,000 s."""
    action = world.put(State.SCHEDULED)
    path = f"/actions/{action['id']}/extension"
    longer = world.ana.post(path, {"seconds": 3600}).json
    assert seconds_between(action["execute_at"], longer["execute_at"]) == 3600
    assert world.ana.post(path, {"seconds": 2400}).status_code == 200
    answer = world.ana.post(path, {"seconds": 1})
    assert (answer.status_code, answer.json["code"]) == (409, "limit")


def test_run_now_is_due_at_once(world: World) -> None:
    action = world.put(State.SCHEDULED)
    due = world.ana.post(f"/actions/{action['id']}/run-now").json
    assert due["state"] == "scheduled"
    assert seconds_between(due["drafted_at"], due["execute_at"]) < 60


@pytest.mark.parametrize("kind", PAYLOADS)
def test_every_kind_is_taken_back_by_an_action_of_its_own(world: World, kind: str) -> None:
    original = world.put(State.EXECUTED, kind)
    way_back = KINDS[kind].way_back
    assert way_back
    body = {"name": way_back.name, "note": "Sorry, that was a mistake."}
    path = f"/actions/{original['id']}/compensation"
    first = world.ana.post(path, body)
    assert first.status_code == 201, first.text
    assert first.json["kind"] == way_back.kind
    assert first.json["compensates"] == original["id"]
    assert world.look(original["id"])["compensated_by"] == [first.json["id"]]
    again = world.ana.post(path, body)
    assert (again.status_code, again.json["id"]) == (200, first.json["id"])
    world.ana.post(f"/actions/{first.json['id']}/cancellation")
    assert world.ana.post(path, body).status_code == 201


def test_a_compensation_that_makes_no_sense_names_the_field(world: World) -> None:
    refund = world.put(State.EXECUTED)
    reply = world.put(State.EXECUTED, "reply")
    for action_id, pointer, body in (
        (refund["id"], "/name", {"name": "void"}),
        (refund["id"], "/name", {}),
        (refund["id"], "/note", {"name": "reversal", "note": 1}),
        (refund["id"], "/payload/amount", {"name": "reversal", "payload": {"amount": 5}}),
        (refund["id"], "/payload/x", {"name": "reversal", "payload": {"x": 5}}),
        (reply["id"], "/note", {"name": "correction"}),
    ):
        answer = world.ana.post(f"/actions/{action_id}/compensation", body)
        assert answer.status_code == 400, answer.text
        assert pointer in [error["pointer"] for error in answer.json["errors"]]


@pytest.mark.parametrize("state", [State.CANCELLED, State.REJECTED, State.FAILED])
def test_again_is_a_new_linked_action_with_its_own_key(world: World, state: State) -> None:
    old = world.put(state)
    answer = world.ana.post(f"/actions/{old['id']}/again")
    new = answer.json
    assert answer.status_code == 201
    assert new["again_of"] == old["id"]
    assert new["payload"] == old["payload"]
    assert new["idempotency_key"] != old["idempotency_key"]


def test_again_runs_no_earlier_than_the_first_was_to(world: World) -> None:
    """CONTRACT, `not_before`: `execute_at` is never before it. It was dropped."""
    old = world.returns.draft(not_before="2099-01-01T19:00:00Z")
    world.ana.post(f"/actions/{old['id']}/cancellation")
    answer = world.ana.post(f"/actions/{old['id']}/again")
    assert answer.status_code == 201, answer.text
    assert answer.json["execute_at"] == old["execute_at"]


@pytest.mark.parametrize(
    ("outcome", "cancelled_before", "state"),
    [
        ("happened", False, "executed"),
        ("did_not_happen", False, "failed"),
        ("did_not_happen", True, "cancelled"),
    ],
)
def test_a_person_settles_the_unknown(
    world: World, outcome: str, cancelled_before: bool, state: str
) -> None:
    action = world.put(State.UNKNOWN)
    if cancelled_before:
        late = world.ana.post(f"/actions/{action['id']}/cancellation")
        assert late.json["cancel_recorded"] is True
    path = f"/actions/{action['id']}/resolution"
    for body, pointer in (
        ({"outcome": outcome}, "/note"),
        ({"outcome": outcome, "note": " "}, "/note"),
        ({"outcome": "maybe", "note": "n"}, "/outcome"),
    ):
        refused = world.ana.post(path, body)
        assert refused.status_code == 400
        assert refused.json["errors"][0]["pointer"] == pointer
    assert world.ana.post(path, {"outcome": outcome, "note": "asked them"}).json["state"] == state
