"""`python -m tests.soak`: runs the campaigns and writes RESULTS.md. Exit status 1 on any fault."""

import argparse
import sys
import time
from collections.abc import Callable

from tests.bench.databases import BACKENDS, fresh
from tests.races.test_retail_day import CANCELS
from tests.soak import results
from tests.soak.campaigns import Found, cancel_against_claim, over_http, retail_day


def main() -> None:
    """Both databases, one campaign after the other; RESULTS.md is rewritten after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=BACKENDS, help="else both")
    parser.add_argument("--trials", type=int, default=100_000, help="cancel against claim")
    parser.add_argument("--http", type=int, default=2_000, help="trials over HTTP")
    parser.add_argument("--days", type=int, default=3, help="times the retail day is repeated")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="begin no further part of a race later"
    )
    asked = parser.parse_args()
    founds: list[Found] = []
    for backend in [asked.database] if asked.database else BACKENDS:
        _campaign(founds, Found("over HTTP", backend, asked.http), over_http, asked.minutes)
        days = Found("retail day", backend, asked.days * CANCELS)
        for _ in range(asked.days):
            _campaign(founds, days, retail_day, asked.minutes)
        race = Found("cancel against claim", backend, asked.trials)
        _campaign(founds, race, cancel_against_claim, asked.minutes)
    sys.exit(1 if any(found.faults for found in founds) else 0)


def _campaign(
    founds: list[Found], found: Found, run: Callable[[Found, str, float], None], minutes: float
) -> None:
    if not found.wanted:
        return
    if found not in founds:
        founds.append(found)
    with fresh(found.database) as url:
        run(found, url, time.monotonic() + minutes * 60)
    results.write(founds)


if __name__ == "__main__":
    main()
