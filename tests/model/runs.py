"""What is run: the model under each configuration, and with each bug planted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One search of the whole state space. `switches` are the model's own, without their -D."""

    name: str
    switches: tuple[str, ...] = ()
    ltl: str | None = None
    """The formula to search by; None: assertions and dead ends."""
    breaks: bool = False
    """It must find a violation: a planted bug, or a limit that is stated as one."""


WEBHOOK = ("DEDUPES=1", "LOOKUP=0")
MAIL = ("DEDUPES=0", "LOOKUP=0")
ASKED = ("DEDUPES=0", "LOOKUP=1")
NO_FAULTS = ("CRASHES=0", "STALLS=0", "LOSSES=0")

SOUND = (
    Run("dedupes, can be asked", ("HOLDS=0",)),
    Run("dedupes, child is spared", (*WEBHOOK, "SPARE=1", "LOSSES=0")),
    Run("can be asked", ASKED),
    Run("neither (mail)", MAIL),
    Run("neither, child is spared", (*MAIL, "SPARE=1")),
    Run("every action ends", ("SPARE=1", "STALLS=0", "LOSSES=0"), ltl="ends"),
    Run("every action ends (mail)", (*MAIL, "SPARE=1"), ltl="ends"),
    Run("frozen before a send: one effect", ("FREEZE", "LOSSES=0", "CRASHES=0")),
)
"""Without an error, and together without a step that is never taken."""

BUGS = (
    Run("cancel without the state", ("BUG_NO_GUARD",), breaks=True),
    Run("finish without the attempt", ("BUG_NO_FENCE",), breaks=True),
    Run("cascade in one statement", ("BUG_CASCADE_AT_ONCE", *NO_FAULTS), breaks=True),
    Run("swept back to scheduled", ("BUG_SWEEP_BACK",), breaks=True),
    Run("attempt in the key", ("BUG_ATTEMPT_IN_KEY",), breaks=True),
    Run("a stray sent as if new", ("BUG_STRAY_SENT", *MAIL), breaks=True),
    Run("let go without a lock", ("BUG_FREED_UNLOCKED", "SPARE=1", *NO_FAULTS), breaks=True),
)

LIMITS = (
    Run("frozen before a send: cancelled", ("FREEZE", "FREEZE_IS_SAFE", *WEBHOOK), breaks=True),
)
"""What the design does not promise, kept here so that nobody thinks that it does."""

ALL = (*SOUND, *BUGS, *LIMITS)
