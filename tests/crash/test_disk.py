"""The disk's trials are the soak's alone: they need strace, and hours."""

import pytest

from tests.crash.disk import BROKEN
from tests.soak.campaigns import Found
from tests.soak.disk import failing


def test_a_soak_without_strace_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not run must not look like what found nothing."""
    monkeypatch.setenv("PATH", "")
    found = Found("disk", "sqlite", 5)
    failing(BROKEN)(found, float("inf"))
    assert "NOT RUN: strace is not installed" in capsys.readouterr().out
    assert (found.trials, found.bound) == (0, "none")
