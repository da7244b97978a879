"""What staff do to one action: each call is one arrow, or one new action."""

from typing import Any

from webapp.domain.action import Action
from webapp.services import again as again_
from webapp.services import clock, compensate, decide, resolve
from webapp.web.api.blueprint import api
from webapp.web.api.bodies import (
    Compensation,
    Extension,
    Reasoned,
    Rejection,
    Resolution,
)
from webapp.web.api.body import read_body
from webapp.web.current import caller, desk
from webapp.web.shape import shown

Answer = tuple[dict[str, Any], int]


@api.post("/actions/<action_id>/approval")
def approve(action_id: str) -> Answer:
    """awaiting_approval -> scheduled."""
    body = read_body(Reasoned)
    return _shown(
        decide.approve(desk(), action_id, caller(), reason=body.reason, seen=body.version)
    )


@api.post("/actions/<action_id>/rejection")
def reject(action_id: str) -> Answer:
    """awaiting_approval -> rejected."""
    body = read_body(Rejection)
    return _shown(decide.reject(desk(), action_id, caller(), reason=body.reason, seen=body.version))


@api.post("/actions/<action_id>/hold")
def hold(action_id: str) -> Answer:
    """scheduled -> held."""
    body = read_body(Reasoned)
    return _shown(clock.hold(desk(), action_id, caller(), reason=body.reason, seen=body.version))


@api.post("/actions/<action_id>/release")
def release(action_id: str) -> Answer:
    """held -> scheduled."""
    body = read_body(Reasoned)
    return _shown(clock.release(desk(), action_id, caller(), reason=body.reason, seen=body.version))


@api.post("/actions/<action_id>/extension")
def extend(action_id: str) -> Answer:
    """Later, while scheduled."""
    body = read_body(Extension)
    return _shown(
        clock.extend(desk(), action_id, caller(), seconds=body.seconds, seen=body.version)
    )


@api.post("/actions/<action_id>/run-now")
def run_now(action_id: str) -> Answer:
    """Due at once, while scheduled."""
    body = read_body(Reasoned)
    return _shown(clock.run_now(desk(), action_id, caller(), reason=body.reason, seen=body.version))


@api.post("/actions/<action_id>/compensation")
def take_back(action_id: str) -> Answer:
    """201 the new action that takes it back; 200 the one that is under way already."""
    body = read_body(Compensation)
    done = compensate.compensate(
        desk(),
        action_id,
        caller(),
        name=body.name,
        note=body.note,
        payload=body.payload,
        seen=body.version,
    )
    return _shown(done.action, 201 if done.created else 200)


@api.post("/actions/<action_id>/again")
def again(action_id: str) -> Answer:
    """201 a new action like the one that did not happen."""
    body = read_body(Reasoned)
    done = again_.again(desk(), action_id, caller(), reason=body.reason, seen=body.version)
    return _shown(done.action, 201)


@api.post("/actions/<action_id>/resolution")
def settle(action_id: str) -> Answer:
    """unknown -> executed, failed or cancelled."""
    body = read_body(Resolution)
    return _shown(
        resolve.resolve(
            desk(), action_id, caller(), outcome=body.outcome, note=body.note, seen=body.version
        )
    )


def _shown(action: Action, status: int = 200) -> Answer:
    return shown(desk(), action), status
