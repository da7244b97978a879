"""`python -m tests.bench [PART …] [--database NAME] [--seconds N]`."""

import argparse
import os
import platform
from collections.abc import Callable

from tests.bench import (
    history,
    lateness,
    load,
    page,
    profile,
    replay,
    reports,
    screens,
    single,
    throughput,
)
from tests.bench.databases import BACKENDS
from webapp.store.opening import sqlite_module

PARTS: dict[str, Callable[[str, int], None]] = {
    "lateness": lateness.measure,
    "load": load.measure,
    "throughput": throughput.measure,
    "single": single.measure,
    "screens": screens.measure,
    "page": page.measure,
    "replay": replay.measure,
    "reports": reports.measure,
    "history": history.measure,
    "profile": profile.measure,
}


def main() -> None:
    """Runs the parts that were asked for, on one database after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; else all")
    parser.add_argument("--database", choices=BACKENDS, help="else both")
    parser.add_argument("--seconds", type=int, default=20, help="how long lateness is measured")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    _machine()
    for part in asked.parts or PARTS:
        for backend in [asked.database] if asked.database else BACKENDS:
            PARTS[part](backend, asked.seconds)


def _machine() -> None:
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(
        f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}, "
        f"SQLite {sqlite_module().sqlite_version}",
        flush=True,
    )


if __name__ == "__main__":
    main()
