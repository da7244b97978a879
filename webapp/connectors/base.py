"""What every connector promises: one effect a request, and the truth about a failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

SUBMITTED = "submitted"
"""The provider took it and has not finished."""
SETTLED = "settled"
"""It is done."""


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """One attempt at one effect."""

    key: str
    """The idempotency key, the same on every attempt."""
    kind: str
    payload: Mapping[str, Any]
    action_id: str
    attempt: int
    """From 1; the action's fencing token, never sent to a provider as an identity."""
    deadline: float
    """`time.monotonic()` by which the whole effect must be over."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What the provider took."""

    status: str
    """`submitted` or `settled`."""
    provider_id: str
    detail: dict[str, Any]


class EffectFailed(Exception):
    """The effect is not known to have happened; the message is for people.

    `permanent`: the same request will fail the same way again.
    `may_have_happened`: False only where *this attempt* certainly had no effect. What an earlier
    attempt with the same key did is not known here.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        may_have_happened: bool,
        detail: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.may_have_happened = may_have_happened
        self.detail = detail or {}


class Connector(Protocol):
    """A way out. Used by many threads at once."""

    @property
    def name(self) -> str:
        """As in the settings: `sandbox`, `smtp`, `webhook`."""

    @property
    def dedupes(self) -> bool:
        """The same key twice is one effect, answered as the first time."""

    @property
    def can_look_up(self) -> bool:
        """`look_up` can tell whether an effect happened."""

    def send(self, request: EffectRequest) -> Effect:
        """Make the effect. Raises EffectFailed; any other exception counts as may-have-happened."""

    def look_up(self, request: EffectRequest) -> Effect | None:
        """The effect of `request.key`; None when it certainly never happened.

        Raises EffectFailed when that can't be said.
        """

    def check(self) -> str | None:
        """None when all is well, else what is wrong, in one line for `doctor`."""
