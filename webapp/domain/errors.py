"""What can be refused. A class's docstring is its title; `code` is what programs read.

`web/problems.py` is the one table from here to HTTP, `cli` prints the message.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with one field; `pointer` is a JSON pointer (RFC 6901)."""

    pointer: str
    detail: str


class DeskError(Exception):
    """The desk refused."""

    code = "refused"

    def __init__(self, detail: str, errors: tuple[FieldError, ...] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors

    @property
    def title(self) -> str:
        return (type(self).__doc__ or "").splitlines()[0]


class Invalid(DeskError):
    """The request is not valid."""

    code = "invalid"

    @classmethod
    def field(cls, pointer: str, detail: str) -> "Invalid":
        return cls(f"{pointer}: {detail}", (FieldError(pointer, detail),))


class NotFound(DeskError):
    """There is no such thing here."""

    code = "not_found"


class Forbidden(DeskError):
    """Not allowed."""

    code = "forbidden"


class KindOff(Forbidden):
    """This kind is switched off."""

    code = "kind_off"


class OutOfStock(DeskError):
    """Not enough in stock."""

    code = "out_of_stock"


class DependencyNotLive(DeskError):
    """An action that this one depends on has ended without an effect."""

    code = "dependency_not_live"


class KeyReused(DeskError):
    """This idempotency key was used with another body."""

    code = "key_reused"


class WrongState(DeskError):
    """The action's state does not allow this."""

    code = "wrong_state"


class NotAwaiting(WrongState):
    """The action is not waiting for approval."""

    code = "not_awaiting"


class NotHeld(WrongState):
    """The action is not held."""

    code = "not_held"


class TooLate(WrongState):
    """Too late: the action was already claimed or has ended."""

    code = "too_late"


class NotScheduled(TooLate):
    """Nothing is late: the action is not scheduled, it waits for a person."""


class NotCancellable(WrongState):
    """The action has ended without an effect: there is nothing to cancel."""

    code = "not_cancellable"


class NotExecuted(WrongState):
    """The action has not been executed: there is nothing to take back."""

    code = "not_executed"


class UnknownOutcome(WrongState):
    """Nobody knows yet whether the effect happened: settle that first."""

    code = "unknown_outcome"


class NotUnknown(WrongState):
    """The outcome is known."""

    code = "not_unknown"


class LimitReached(DeskError):
    """The limit is reached."""

    code = "limit"


class Changed(DeskError):
    """The action changed since you saw it."""

    code = "changed"


class TooManyAttempts(DeskError):
    """Too many attempts."""

    code = "too_many_attempts"


class Unavailable(DeskError):
    """The database cannot commit now: repeat the request with the same key."""

    code = "unavailable"
