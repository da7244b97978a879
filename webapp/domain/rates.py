"""What one agent may draft in a span of time: `COUNT/SECONDS`, `VALUE:CUR/SECONDS`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from webapp.domain.money import thresholds, thresholds_text

LONGEST = 604_800
"""Seconds in a week."""
_COUNT = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)
_SPEND = re.compile(r"([^/]*)/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Burst:
    """At most `count` drafts within `seconds`."""

    count: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.count}/{self.seconds}"


@dataclass(frozen=True, slots=True)
class Spend:
    """At most `limits` (minor units by currency) within `seconds`."""

    limits: Mapping[str, int]
    seconds: int

    def __str__(self) -> str:
        return f"{thresholds_text(dict(self.limits))}/{self.seconds}"


def read_burst(text: str) -> Burst:
    """`5/60` is five a minute. Raises ValueError."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not COUNT/SECONDS, for example 20/60")
    if not int(match[1]):
        raise ValueError("COUNT must be at least 1; mode=off lets nothing through")
    return Burst(int(match[1]), _seconds(match[2]))


def read_spend(text: str) -> Spend:
    """`500000:INR/3600` is 5,000 rupees an hour; several currencies by commas. ValueError."""
    match = _SPEND.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not VALUE:CUR/SECONDS, for example 500000:INR/3600")
    return Spend(thresholds(match[1]), _seconds(match[2]))


def _seconds(text: str) -> int:
    if not 1 <= int(text) <= LONGEST:
        raise ValueError(f"SECONDS must be between 1 and {LONGEST}")
    return int(text)
