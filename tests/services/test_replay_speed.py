"""100,000 past actions are replayed within five seconds."""

import time

from tests.fixtures.histories import record
from webapp.services import settings
from webapp.services.desk import Desk
from webapp.services.replay import MOST, replay

AT_MOST = 5.0
"""Seconds, of this process: what others have of the processor is not counted."""
ROWS = {
    "amounts": {"mode": "window", "approval_above": "500000:INR", "flagged": "same"},
    "everything": {
        "mode": "shadow",
        "long_window_above": "200000:INR",
        "approval_above": "900000:INR",
        "first_of_kind": "approval",
        "likely_duplicate": "long_window",
        "burst": "200/3600",
        "spend": "100000000:INR/86400",
        "desk_hours": "Mon-Fri 09:00-18:00, Sat 10:00-14:00",
    },
}


def test_a_hundred_thousand_within_five_seconds(desk: Desk) -> None:
    record(desk, MOST)
    for name, values in ROWS.items():
        policy = settings.tried(desk, "refund", values)
        begin = time.process_time()
        steps = list(replay(desk, "refund", policy))
        took = time.process_time() - begin
        assert steps[-1].result is not None
        assert steps[-1].result.tally.actions == MOST
        assert len(steps) > MOST / 10_000
        assert took < AT_MOST, name
