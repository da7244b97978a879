"""The customer's status page: a signed link, nothing stored, and words that never say too much."""

from dataclasses import dataclass
from functools import lru_cache

from itsdangerous import BadData, URLSafeSerializer

from webapp.config import Settings
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.services.desk import Desk
from webapp.store import actions, pauses
from webapp.store.pauses import Pause

_SALT = "status"
_STATUS = {
    State.AWAITING_APPROVAL: "awaiting",
    State.SCHEDULED: "scheduled",
    State.HELD: "held",
    State.EXECUTING: "working",
    State.UNKNOWN: "working",
    State.CANCELLED: "cancelled",
    State.REJECTED: "cancelled",
    State.FAILED: "problem",
}


@dataclass(frozen=True, slots=True)
class Status:
    """What the customer may know. `status` is the contract's `data-status`."""

    action: Action
    status: str
    paused: bool
    """Whether a pause keeps it from being claimed."""


def token(settings: Settings, action_id: str) -> str:
    """The part of the link that names the action, signed."""
    return str(_serializer(_keys(settings)).dumps(action_id.replace("-", "")))


def url(settings: Settings, action_id: str) -> str:
    """The absolute link to an action's status page."""
    return f"{settings.base_url}/s/{token(settings, action_id)}"


def by_token(desk: Desk, text: str) -> Status | None:
    """None for anything that this desk did not sign, or that is not there."""
    try:
        plain = str(_serializer(_keys(desk.settings)).loads(text))
    except BadData:
        return None
    if text not in _links(desk.settings, plain):
        return None
    action_id = "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))
    with desk.db.read() as tx:
        found = actions.get(tx, action_id)
        if found is None or found.pruned:
            return None
        paused = any(_stops(pause, found) for pause in pauses.standing(tx))
    return Status(found, status_of(found), paused)


def status_of(found: Action) -> str:
    """`done` only when the effect is settled."""
    if found.state is not State.EXECUTED:
        return _STATUS[found.state]
    effect = (found.effect or {}).get("status")
    return {"settled": "done", "reversed": "cancelled", "failed_later": "problem"}.get(
        str(effect), "working"
    )


def _stops(pause: Pause, found: Action) -> bool:
    return pause.agent in (None, found.agent) and pause.kind in (None, found.kind)


def _links(settings: Settings, plain: str) -> set[str]:
    """What this desk would have signed, now or by an older key.

    Base64 lets the last character of a signature vary: one link is one text.
    """
    return {str(URLSafeSerializer(key, salt=_SALT).dumps(plain)) for key in _keys(settings)}


def _keys(settings: Settings) -> tuple[str, ...]:
    # itsdangerous signs with the last key and accepts all of them.
    return (*settings.secret_key_fallbacks, settings.secret_key)


@lru_cache(maxsize=16)
def _serializer(keys: tuple[str, ...]) -> URLSafeSerializer:
    return URLSafeSerializer(list(keys), salt=_SALT)
