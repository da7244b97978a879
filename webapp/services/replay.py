"""What a policy row would have made of the actions that were drafted already."""

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy
from webapp.domain.replay import Replay, Tally, reads_payload
from webapp.services.desk import Desk
from webapp.store import history

MOST = 100_000
"""The latest of a kind that are looked at."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far it is: `done` of `of` actions. The last one has what came out."""

    done: int
    of: int
    result: "Replayed | None" = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came out. `since` is when the oldest was drafted (microseconds); None: there is none."""

    policy: Policy
    tally: Tally
    since: int | None
    more: bool
    """There may be older ones, which were left out."""


def replay(desk: Desk, kind: str, policy: Policy) -> Iterator[Step]:
    """Run `policy` over the latest MOST actions of `kind`. Writes nothing. Raises Unavailable.

    Customers who are flagged now are taken to have been flagged then: who was, nobody kept.
    """
    described = KINDS[kind]
    run = Replay(described, policy, desk.table().flagged, desk.zone)
    with desk.db.read() as tx:
        of, begin = history.span(tx, kind, MOST)
    done, since = 0, None
    yield Step(done, of)
    payload = reads_payload(described, policy)
    for chunk in history.chunks(desk.db, kind, begin, payload=payload):
        run.add(chunk)
        since = since or chunk[0].drafted_at
        done += len(chunk)
        yield Step(done, max(of, done))
    yield Step(done, done, Replayed(policy, run.tally, since, of == MOST))
