"""How figures are shown: ours, the bare loop's of the same run, the ratio, the target."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

_HEADS = ("", "ours", "bare", "ratio", "target", "")


@dataclass(frozen=True, slots=True)
class Line:
    """One figure. `met` None: shown for scale, without a target."""

    what: str
    ours: str
    bare: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """Its columns, as text."""
        verdict = {None: "", True: "met", False: "MISSED"}[self.met]
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return (self.what, self.ours, self.bare, ratio, self.target, verdict)


def show(title: str, lines: Sequence[Line]) -> None:
    """Prints a table, with the load that there was (average of the last minute)."""
    rows = [_HEADS, *(line.cells() for line in lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
    print(f"\n{title}; load {os.getloadavg()[0]:.1f}")
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    print(flush=True)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of them do not exceed; infinity where there is none."""
    if not values:
        return float("inf")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p50(values: Sequence[float]) -> float:
    """The median."""
    return quantile(values, 0.5)


def p99(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return quantile(values, 0.99)


def spread(values: Sequence[float]) -> str:
    """`p50 / p99 / max`."""
    return f"{p50(values):.2f} / {p99(values):.2f} / {max(values, default=float('inf')):.2f}"
