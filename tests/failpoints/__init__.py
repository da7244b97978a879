"""A desk that dies, stops or loses its connection at a named point. Never part of the product.

`python -m tests.failpoints serve …` is `python -m webapp serve …` with the handler installed.
"""

from webapp.failpoints import AFTER_COMMIT, BEFORE_COMMIT, BEFORE_SEND, REPLIED, SENT

VARIABLE = "UNDO_DESK_FAILPOINT"
"""`NAME:ACTION[:NTH]`, or `@FILE`: the same, read from the file whenever a point is reached."""
CLOCK_VARIABLE = "UNDO_DESK_CLOCK_FILE"
"""A file with the seconds by which the host's clock is wrong."""

COMMITS = ("draft", "cancel", "claim", "finish", "sweep", "cascade", "compensate")
CONNECTORS = ("sandbox", "webhook", "smtp")
NAMES = (
    *(f"{what}.{place}" for what in COMMITS for place in (BEFORE_COMMIT, AFTER_COMMIT)),
    f"effect.{BEFORE_SEND}",
    *(f"{name}.{place}" for name in CONNECTORS for place in (SENT, REPLIED)),
)
"""Every point there is."""
