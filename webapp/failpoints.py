"""Named places where a test may stop, kill or disturb the process. In production nothing is there.

No setting and no variable switches them on: only a caller of `install` can, and none ships.
"""

from collections.abc import Callable

BEFORE_COMMIT = "before-commit"
AFTER_COMMIT = "after-commit"
BEFORE_SEND = "before-send"
"""The lease was checked; the connector is called next."""
SENT = "sent"
"""The effect has left, or has happened; its answer has not been read."""
REPLIED = "replied"
"""The provider's answer is known, and nobody has written it down."""

_handler: Callable[[str], None] | None = None


def reach(of: str, place: str) -> None:
    """What `of` does has come to `place`: the point's name is `OF.PLACE`."""
    if _handler is not None:
        _handler(f"{of}.{place}")


def install(handler: Callable[[str], None] | None) -> None:
    """For tests: call `handler` with the name of each point that is reached; None: no more."""
    global _handler  # noqa: PLW0603 - one for the process, as a crash is
    _handler = handler
