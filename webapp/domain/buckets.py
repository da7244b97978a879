"""Lengths of time in buckets: fine where short, coarse where long, so that counts can be added up.

A bucket is known by its number. Its upper bound belongs to it: what took exactly a minute is
counted with "within a minute".
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping

from webapp.domain.times import MILLISECOND, SECOND

_UNDER_A_SECOND = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_MINUTES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 60)
_HOURS = (75, 90, 120, 150, 180, 240, 300, 420, 600, 900, 1_200, 1_800, 2_700, 3_600)
_DAYS = (5_400, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200, 86_400, 172_800, 259_200, 604_800)

BOUNDS: tuple[int, ...] = (
    *(number * MILLISECOND for number in _UNDER_A_SECOND),
    *(number * SECOND for number in (*_MINUTES, *_HOURS, *_DAYS)),
)
"""Upper bounds, microseconds; one more bucket lies above. Never change one: counts are kept."""

BEFORE = -1
"""The bucket of what is below 0: a cancel after its time, which no worker had claimed yet."""


def bucket(length: int) -> int:
    """The number of the bucket that a length in microseconds falls into."""
    return BEFORE if length < 0 else bisect_left(BOUNDS, length)


def upper(number: int) -> int | None:
    """A bucket's upper bound in microseconds; None above the last."""
    return 0 if number < 0 else BOUNDS[number] if number < len(BOUNDS) else None


def quantile(counts: Mapping[int, int], share: float) -> int | None:
    """The bucket by which `share` of them are counted; None where there are none."""
    left = share * sum(counts.values())
    for number, count in sorted(counts.items()):
        left -= count
        if left <= 0 and count:
            return number
    return None


def histogram(counts: Mapping[str, int], name: str) -> dict[int, int]:
    """`{"left.3": 2}`, `left` -> `{3: 2}`"""
    return dict(_of(counts, f"{name}."))


def _of(counts: Mapping[str, int], prefix: str) -> Iterator[tuple[int, int]]:
    for name, count in counts.items():
        if name.startswith(prefix):
            yield int(name[len(prefix) :]), count
