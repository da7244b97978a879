"""A report in numbers: the few that matter first, then tables."""

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.domain.buckets import histogram, quantile, upper
from webapp.domain.kinds.registry import KINDS
from webapp.services.reports import Report, by_kind
from webapp.store.report_cells import Counts
from webapp.web.moments import amount, span

_MAIN = (
    ("Drafted", "drafted"),
    ("Scheduled", "scheduled"),
    ("Executed", "executed"),
    ("Unseen", "executed_unseen"),
    ("Cancelled", "cancelled"),
    ("Too late", "too_late"),
    ("Taken back", "compensated"),
    ("Held", "held"),
    ("Failed", "failed"),
    ("Unknown", "unknown"),
)
_CANCELLED = (
    ("… by people", "cancelled_by_people"),
    ("… by agents", "cancelled_by_agent"),
    ("… as a dependant", "cancelled_by_parent"),
    ("… by the desk", "cancelled_by_desk"),
)
_MONEY = (
    ("Drafted", "drafted"),
    ("Executed", "executed"),
    ("Executed unseen", "unseen"),
    ("Stopped by cancels", "stopped"),
    ("Cancelled too late", "too_late"),
    ("Brought back", "back"),
)


@dataclass(frozen=True, slots=True)
class Tile:
    """One number, what it counts, and what it comes to."""

    number: str
    label: str
    note: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """`names`: how many of its columns name the row; the others are numbers."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


def tiles(found: Report) -> list[Tile]:
    """What a report says at a glance."""
    total = found.total
    unseen = total["executed_unseen"]
    return [
        Tile(number(total["drafted"]), "drafted", f"{number(total['scheduled'])} scheduled"),
        Tile(number(total["executed"]), "executed", _money(total, "executed")),
        Tile(number(unseen), "executed unseen", _share(unseen, total["executed"]), unseen > 0),
        Tile(number(total["cancelled"]), "cancelled", _money(total, "stopped", " stopped")),
        Tile(number(total["too_late"]), "cancelled too late", _late(total), total["too_late"] > 0),
        Tile(number(total["compensated"]), "taken back", _money(total, "back", " brought back")),
    ]


def tables(found: Report) -> list[Table]:
    """By kind and agent, and what it cost. Those that would be empty are left out."""
    kinds = by_kind(found.lines)
    made = (_main(found), _cost(kinds), _approvals(kinds), _lateness(kinds), _sums(found.total))
    return [table for table in made if table.rows]


def number(value: int) -> str:
    """`12,345`"""
    return f"{value:,}"


def up_to(counts: Counts, name: str, share: float) -> str:
    """The bound of the bucket by which `share` of them are counted: `5 s`; `–` without any."""
    place = quantile(histogram(counts, name), share)
    if place is None:
        return "–"
    bound = upper(place)
    return "over a week" if bound is None else span(bound)


def _main(found: Report) -> Table:
    rows = [
        (KINDS[line.kind].label, line.agent, *(number(line.counts[name]) for _, name in _MAIN))
        for line in found.lines
    ]
    if len(rows) > 1:
        rows.append(("All", "", *(number(found.total[name]) for _, name in _MAIN)))
    return Table(
        "What came of them",
        "Unseen: executed although nobody had it on screen before, and nobody had approved it.",
        ("Kind", "Agent", *(words for words, _ in _MAIN)),
        tuple(rows),
        names=2,
    )


def _cost(kinds: dict[str, Counts]) -> Table:
    rows = [
        (
            KINDS[kind].label,
            number(counts["cancelled"]),
            *(number(counts[name]) for _, name in _CANCELLED),
            number(counts["too_late"]),
            up_to(counts, "late_by", 0.5),
            number(counts["compensated"]),
            up_to(counts, "back", 0.5),
            _money(counts, "back") or "–",
        )
        for kind, counts in kinds.items()
        if counts["cancelled"] or counts["too_late"] or counts["compensated"]
    ]
    return Table(
        "Cancels, and what being too late cost",
        "“Half within”: half of them were too late, or taken back, within this time.",
        (
            *("Kind", "Cancelled", *(words for words, _ in _CANCELLED), "Too late", "Half within"),
            *("Taken back", "Half within", "Money brought back"),
        ),
        tuple(rows),
    )


def _approvals(kinds: dict[str, Counts]) -> Table:
    rows = [
        (
            KINDS[kind].label,
            *(number(counts[name]) for name in ("asked", "approved", "rejected", "expired")),
            _share(counts["rejected"], counts["approved"] + counts["rejected"]) or "–",
            up_to(counts, "wait_approved", 0.5),
            up_to(counts, "wait_approved", 0.95),
            up_to(counts, "wait_rejected", 0.5),
            up_to(counts, "wait_rejected", 0.95),
        )
        for kind, counts in kinds.items()
        if counts["asked"] or counts["approved"] or counts["rejected"] or counts["expired"]
    ]
    return Table(
        "Approvals",
        "How long they waited: half, and 95 of 100, within this time.",
        (
            *("Kind", "Asked for", "Approved", "Rejected", "Expired", "Share rejected"),
            *("Approved, half", "95 of 100", "Rejected, half", "95 of 100"),
        ),
        tuple(rows),
    )


def _lateness(kinds: dict[str, Counts]) -> Table:
    rows = [
        (
            KINDS[kind].label,
            number(counts["executed"]),
            *(up_to(counts, "late", share) for share in (0.5, 0.95, 0.99, 1)),
        )
        for kind, counts in kinds.items()
        if counts["executed"]
    ]
    return Table(
        "Lateness of execution",
        "From when it could run until a worker took it: so many of 100 within this time.",
        ("Kind", "Executed", "50 of 100", "95", "99", "All"),
        tuple(rows),
    )


def _sums(total: Counts) -> Table:
    currencies = sorted({name.partition(".")[2] for name in total if name.startswith("money_")})
    rows = [
        (
            currency,
            *(amount(total[f"money_{what}.{currency}"], currency) for _, what in _MONEY),
        )
        for currency in currencies
    ]
    head = ("Currency", *(words for words, _ in _MONEY))
    return Table("Money", "Of actions that have an amount.", head, tuple(rows))


def _money(counts: Counts, what: str, words: str = "") -> str:
    prefix = f"money_{what}."
    found = [
        amount(value, name.removeprefix(prefix))
        for name, value in sorted(counts.items())
        if name.startswith(prefix)
    ]
    return _all(found) + words if found else ""


def _all(found: Iterable[str]) -> str:
    return " + ".join(found)


def _share(part: int, of: int) -> str:
    return f"{part / of:.1%}" if of else ""


def _late(total: Counts) -> str:
    return f"half by at most {up_to(total, 'late_by', 0.5)}" if total["too_late"] else ""
