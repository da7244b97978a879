"""Programs that begin their work at the same moment."""

import subprocess
import sys


def begin_together(number: int, module: str, *arguments: str) -> None:
    """`python -m module arguments`, so many times: each says `ready` and waits for a line.

    All have to end well, and without a word on standard error.
    """
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    parts = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(number)
    ]
    for part in parts:
        assert part.stdout is not None
        assert part.stdout.readline() == "ready\n"
    for part in parts:
        assert part.stdin is not None
        part.stdin.write("\n")
        part.stdin.flush()
    for part in parts:
        _, errors = part.communicate(timeout=60)
        assert (part.returncode, errors) == (0, "")
