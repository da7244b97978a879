"""What a pause would stop and a flag could hold, summed up for a preview."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from webapp.services.desk import Desk
from webapp.store import ahead
from webapp.store.ahead import Ahead


@dataclass(frozen=True, slots=True)
class Sum:
    """How many are scheduled, and of each kind; how many are running, which nothing here stops."""

    kinds: tuple[Ahead, ...]

    @property
    def scheduled(self) -> int:
        return sum(one.scheduled for one in self.kinds)

    @property
    def running(self) -> int:
        return sum(one.running for one in self.kinds)

    @property
    def next_at(self) -> int | None:
        """When the first of them is due, UTC microseconds."""
        return _earliest(one.next_at for one in self.kinds)


@dataclass(frozen=True, slots=True)
class Preview:
    """At one moment."""

    rows: tuple[Ahead, ...]

    def of(self, *, kind: str | None = None, agent: str | None = None) -> Sum:
        """Those of a kind, of an agent, or all; by kind, the soonest first."""
        found: dict[str, Ahead] = {}
        for row in self.rows:
            if kind in (None, row.kind) and agent in (None, row.agent):
                found[row.kind] = _together(found[row.kind], row) if row.kind in found else row
        return Sum(tuple(sorted(found.values(), key=_soonest)))


def preview(desk: Desk) -> Preview:
    """Of everything that is scheduled or running."""
    with desk.db.read() as tx:
        return Preview(tuple(ahead.everything(tx)))


def for_customer(desk: Desk, ref: str) -> Sum:
    """What is scheduled or running for one customer."""
    with desk.db.read() as tx:
        return Preview(tuple(ahead.of_customer(tx, ref))).of()


def _together(one: Ahead, other: Ahead) -> Ahead:
    return replace(
        one,
        agent="",
        scheduled=one.scheduled + other.scheduled,
        running=one.running + other.running,
        next_at=_earliest((one.next_at, other.next_at)),
    )


def _earliest(times: Iterable[int | None]) -> int | None:
    return min((at for at in times if at is not None), default=None)


def _soonest(one: Ahead) -> tuple[bool, int, str]:
    return one.next_at is None, one.next_at or 0, one.kind
