"""The processes of a race: started together, waited for, never left behind."""

from collections.abc import Sequence
from multiprocessing.context import SpawnProcess


def run_together(parts: Sequence[SpawnProcess], seconds: float) -> None:
    """Run them to their end; one that takes longer than `seconds` is killed and fails the race."""
    for part in parts:
        part.start()
    for part in parts:
        part.join(seconds)
        if part.exitcode is None:
            part.kill()
    assert [part.exitcode for part in parts] == [0] * len(parts)
