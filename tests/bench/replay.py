"""A policy tried on 100,000 past actions: how long the settings page takes to answer."""

import time

from tests.bench.databases import fresh, opened
from tests.bench.tally import Line, show
from tests.fixtures.histories import record
from webapp.services import settings
from webapp.services.replay import MOST, replay

SECONDS = 5.0
_ROWS = {
    "a window, with amounts": {"mode": "window", "approval_above": "500000:INR", "flagged": "same"},
    "every rule": {
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


def measure(backend: str, _seconds: int) -> None:
    """One table."""
    lines = []
    with fresh(backend) as url, opened(url) as desk:
        record(desk, MOST)
        for name, values in _ROWS.items():
            policy = settings.tried(desk, "refund", values)
            began, cpu = time.perf_counter(), time.process_time()
            *_, last = replay(desk, "refund", policy)
            took, cpu = time.perf_counter() - began, time.process_time() - cpu
            if last.result is None or last.result.tally.actions != MOST:
                raise RuntimeError("not all of the history was replayed")
            words = f"{name} (s, of which CPU)"
            said = f"{took:.1f} ({cpu:.1f})"
            lines.append(Line(words, said, "", None, f"<= {SECONDS:g}", took <= SECONDS))
    show(f"a policy on {MOST:,} past actions, {backend}", lines)
