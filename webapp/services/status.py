"""The customer's status page: a signed link, nothing stored, and words that never say too much."""

from dataclasses import dataclass
from functools import lru_cache

from itsdangerous import BadData, URLSafeSerializer

from webapp.config import Settings
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.services.objection import objected
from webapp.store import actions, pauses
from webapp.store.pauses import Pause

_DAY = 86_400 * SECOND
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
    objected: bool = False
    """Whether the customer has said that it isn't right, as it stands now."""

    @property
    def may_object(self) -> bool:
        """Whether saying so still tells anybody anything."""
        return not self.objected and self.status not in ("cancelled", "problem")


def token(settings: Settings, action_id: str, link: int = 0) -> str:
    """The part of the address that names the action and its link's generation, signed."""
    return str(_serializer(_keys(settings)).dumps(_plain(action_id, link)))


def url(settings: Settings, action_id: str, link: int = 0) -> str:
    """The absolute address of an action's status page."""
    return f"{settings.base_url}/s/{token(settings, action_id, link)}"


def ends_at(settings: Settings, found: Action) -> int | None:
    """When the link to it stops working, with its personal data at the latest; None: it is open."""
    if found.finished_at is None:
        return None
    ends = found.finished_at + settings.status_link_days * _DAY
    return ends if found.pruned_at is None else min(ends, found.pruned_at)


def by_token(desk: Desk, text: str) -> Status | None:
    """None for what this desk did not sign, for a link that was taken back or is over, for none."""
    try:
        plain = str(_serializer(_keys(desk.settings)).loads(text))
    except BadData:
        return None
    if text not in _links(desk.settings, plain):
        return None
    raw = plain.partition(".")[0]
    action_id = "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))
    with desk.db.read() as tx:
        found = actions.get(tx, action_id)
        if found is None or found.pruned or plain != _plain(found.id, found.link):
            return None
        ends = ends_at(desk.settings, found)
        if ends is not None and ends <= desk.now():
            return None
        paused = any(_stops(pause, found) for pause in pauses.standing(tx))
        return Status(found, status_of(found), paused, objected(tx, found))


def status_of(found: Action) -> str:
    """`done` only when the effect is settled."""
    if found.state is not State.EXECUTED:
        return _STATUS[found.state]
    effect = (found.effect or {}).get("status")
    return {"settled": "done", "reversed": "cancelled", "failed_later": "problem"}.get(
        str(effect), "working"
    )


def _plain(action_id: str, link: int) -> str:
    """The first generation has none: links that were sent before there were any stay good."""
    raw = action_id.replace("-", "")
    return f"{raw}.{link}" if link else raw


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
