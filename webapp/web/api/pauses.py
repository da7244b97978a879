"""Stopping and resuming claims."""

from typing import Any

from webapp.domain.errors import NotFound
from webapp.services import pause
from webapp.web.api.blueprint import api
from webapp.web.api.bodies import NewPause
from webapp.web.api.body import read_body
from webapp.web.api.query import Nothing, read_query
from webapp.web.current import caller, desk
from webapp.web.shape import pause_json

_HIGHEST = 2**31 - 1


@api.get("/pauses")
def standing() -> dict[str, Any]:
    """All pauses, oldest first."""
    read_query(Nothing)
    return {"items": [pause_json(one) for one in pause.standing(desk())]}


@api.post("/pauses")
def begin() -> tuple[dict[str, Any], int]:
    """201 the pause."""
    body = read_body(NewPause)
    made = pause.pause(desk(), caller(), reason=body.reason, agent=body.agent, kind=body.kind)
    return pause_json(made), 201


@api.delete("/pauses/<int:pause_id>")
def end(pause_id: int) -> tuple[str, int]:
    """204; 404 where it has ended before."""
    if pause_id > _HIGHEST:
        raise NotFound("There is no such pause.")
    pause.unpause(desk(), caller(), pause_id)
    return "", 204
