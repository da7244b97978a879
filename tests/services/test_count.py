"""The counts behind the reports are what a recount from the rows comes to."""

import random
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.fixtures.histories import looker
from tests.services.people import ANA, BOT, DONE, claimed, drafted, executed, finished, policy
from tests.store.rows import end
from webapp.domain.buckets import bucket
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import digest as digests
from webapp.services.caller import Caller
from webapp.services.cancel import cancel
from webapp.services.compensate import compensate
from webapp.services.count import Counting
from webapp.services.decide import approve, reject
from webapp.services.desk import Desk
from webapp.services.digest import digest
from webapp.services.resolve import resolve
from webapp.services.views import record
from webapp.store import looks, report_cells
from webapp.store.report_cells import ALL, DAY, HALF_HOUR, Key
from webapp.store.schema import action

MACHINE = Caller("agent:bot", "Bot", "bot", None)
EVER = 2**62
TAKEN = '{"status":"submitted","provider_id":"p-1","detail":{}}'


def counted(desk: Desk) -> dict[tuple[str, str], Counter[str]]:
    """All there is, by kind and agent."""
    assert digest(desk, [Counting()], 60)
    with desk.db.read() as tx:
        return report_cells.sums(tx, 0, EVER // DAY * DAY)


def seen(desk: Desk, who: int, action_id: str) -> None:
    """It is on `who`'s screen."""
    with desk.db.read() as tx:
        version = tx.conn.scalar(select(action.c.version).where(action.c.id == action_id))
    assert version
    record(desk, who, [(action_id, version)])


def a_day(desk: Desk) -> None:
    """Something of everything, looked at or not."""
    chance, who = random.Random(11), looker(desk)
    for kind in ("refund", "label", "reply", "webhook"):
        for _ in range(3):
            made = drafted(desk, kind).id
            if chance.random() < 0.5:
                seen(desk, who, made)
            finished(desk, made, State.EXECUTED, DONE)
            seen(desk, who, made)  # what is over is looked at as well
        finished(desk, drafted(desk, kind).id, State.FAILED)
    for caller in (ANA, MACHINE):
        cancel(desk, drafted(desk).id, caller)
    parent = drafted(desk, "label")
    drafted(desk, "reply", depends_on=[parent.id])
    cancel(desk, parent.id, ANA)
    late = drafted(desk)
    claimed(desk, late.id)
    cancel(desk, late.id, ANA)
    cancel(desk, late.id, ANA)
    end(desk.db, late.id, State.EXECUTED, effect=DONE, error=None)
    compensate(desk, late.id, ANA, name="reversal")
    withdrawn = drafted(desk)
    claimed(desk, withdrawn.id)
    cancel(desk, withdrawn.id, ANA)
    end(desk.db, withdrawn.id, State.FAILED, effect=None, error="{}")
    doubtful = drafted(desk)
    finished(desk, doubtful.id, State.UNKNOWN)
    resolve(desk, doubtful.id, ANA, outcome="happened", note="it is there")
    joined = [drafted(desk, "reply", merge_key="one") for _ in range(2)]
    seen(desk, who, joined[0].id)
    finished(desk, joined[0].id, State.EXECUTED, DONE)
    again = drafted(desk, "webhook")
    claimed(desk, again.id)
    end(desk.db, again.id, State.SCHEDULED, error="{}", retry_at=desk.now())
    finished(desk, again.id, State.EXECUTED, TAKEN)
    desk.db.transact(lambda tx: looks.again(tx, again.id))
    [look] = desk.db.transact(lambda tx: looks.take(tx, ["webhook"]))
    assert desk.db.transact(lambda tx: looks.settled(tx, look, DONE, "worker:w"))
    policy(desk, "refund", mode="approval")
    for decide in (approve, reject, reject):
        waiting = drafted(desk)
        seen(desk, who, waiting.id)
        decide(desk, waiting.id, ANA, reason="so")
    taken_back(desk, who)
    policy(desk, "label", mode="immediate")
    executed(desk, "label")


def taken_back(desk: Desk, who: int) -> None:
    """The ways back that were begun have run."""
    with desk.db.read() as tx:
        ways = tx.conn.scalars(select(action.c.id).where(action.c.compensates.is_not(None))).all()
    for one in ways:
        seen(desk, who, one)
        finished(desk, one, State.EXECUTED, DONE)


def recounted(desk: Desk) -> dict[tuple[str, str], Counter[str]]:
    """The same from the rows as they ended, without a look at the events."""
    found: dict[tuple[str, str], Counter[str]] = {}
    with desk.db.read() as tx:
        rows: Any = {row.id: row for row in tx.conn.execute(select(action))}
    for row in rows.values():
        mine = found.setdefault((row.kind, row.agent), Counter())
        window = '"mode":"window"' in row.decision
        mine["drafted"] += 1
        mine[row.state] += row.state in ("executed", "cancelled", "failed", "rejected")
        mine["looked"] += window and (row.attempt > 0 or row.state == "cancelled")
        mine["too_late"] += row.late_cancel_at is not None
        if row.state == "executed":
            viewed = row.first_viewed_at is not None and row.first_viewed_at <= row.claimed_at
            mine["executed_unseen"] += window and not viewed
            mine["executed_at_once"] += '"mode":"immediate"' in row.decision
        if row.amount_value:
            mine[f"money_drafted.{row.amount_currency}"] += row.amount_value
            if row.state == "cancelled":
                mine[f"money_stopped.{row.amount_currency}"] += row.amount_value
        if row.compensates and row.state == "executed":
            original = rows[row.compensates]
            theirs = found.setdefault((original.kind, original.agent), Counter())
            theirs["compensated"] += 1
            if row.amount_value:
                theirs[f"money_back.{row.amount_currency}"] += row.amount_value
    return {key: +counts for key, counts in found.items()}


COMPARED = (
    *("drafted", "executed", "cancelled", "failed", "rejected", "too_late", "executed_unseen"),
    *("executed_at_once", "compensated", "money_drafted", "money_stopped", "money_back"),
)


def compared(counts: Counter[str]) -> Counter[str]:
    """What the rows can tell as well; `looked` are those that were seen in time, or were not."""
    found = Counter({name: n for name, n in counts.items() if name.split(".")[0] in COMPARED})
    found["looked"] = sum(n for name, n in counts.items() if name.startswith(("view.", "no_view.")))
    return +found


def test_the_counts_are_those_of_a_recount(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces of a few events, and with rows that went on meanwhile: the same as all at once."""
    monkeypatch.setattr(digests, "PIECE", 7)
    a_day(desk)
    there = {key: compared(counts) for key, counts in counted(desk).items()}
    assert there == recounted(desk)
    everything: Counter[str] = sum(there.values(), Counter())
    assert all(any(key.startswith(name) for key in everything) for name in COMPARED)
    assert 0 < everything["executed_unseen"] < everything["executed"]


def test_counting_late_changes_nothing(desk: Desk) -> None:
    """What is counted after each step is what is counted at the end."""
    first = drafted(desk)
    counted(desk)
    seen(desk, looker(desk), first.id)
    counted(desk)
    finished(desk, first.id, State.EXECUTED, DONE)
    late = counted(desk)
    assert late["refund", "bot"]["executed"] == 1
    assert not late["refund", "bot"]["executed_unseen"]
    assert sum(n for name, n in late["refund", "bot"].items() if name.startswith("view.")) == 1
    cancel(desk, first.id, ANA)
    assert counted(desk)["refund", "bot"]["too_late"] == 1


def test_who_looks_when_it_is_over_has_not_seen_it(desk: Desk) -> None:
    made = executed(desk)
    seen(desk, looker(desk), made.id)
    counts = counted(desk)["refund", "bot"]
    assert counts["executed_unseen"] == 1
    assert sum(n for name, n in counts.items() if name.startswith("no_view.")) == 1
    assert not any(name.startswith("view.") for name in counts)


def test_seconds_left_and_taken_at_a_cancel(desk: Desk) -> None:
    """A window of five minutes with its margin, and a draft of a minute ago."""
    made = drafted(desk)
    earlier = update(action).values(drafted_at=action.c.drafted_at - 50 * SECOND)
    desk.db.transact(lambda tx: tx.conn.execute(earlier))
    cancel(desk, made.id, ANA)
    counts = counted(desk)["refund", "bot"]
    assert counts[f"left.{bucket(301 * SECOND)}"] == 1
    assert counts[f"took.{bucket(51 * SECOND)}"] == 1


def test_every_level_of_cells_holds_the_same(desk: Desk) -> None:
    """A day's cells, its half hours, and those of all kinds and agents together."""
    a_day(desk)
    whole: Counter[str] = sum(counted(desk).values(), Counter())
    with desk.db.read() as tx:
        together = Counter[str]()
        for _, counts in report_cells.halves(tx, 0, EVER // HALF_HOUR, ALL, ALL):
            together += counts
        of_bot = Counter[str]()
        for _, counts in report_cells.halves(tx, 0, EVER // HALF_HOUR, ALL, BOT.name):
            of_bot += counts
    assert together == whole == of_bot


def test_sums_between_two_times_take_what_is_between(desk: Desk) -> None:
    """Whole days and the half hours at the edges: nothing twice, nothing left out."""
    chance = random.Random(3)
    base = 20_000 * DAY
    times = [base + chance.randrange(6 * DAY) for _ in range(300)]
    halves: dict[Key, Counter[str]] = {}
    for at in times:
        key = report_cells.half_hour(at, "refund", "bot")
        halves.setdefault(key, Counter())["drafted"] += 1
    desk.db.transact(lambda tx: report_cells.add(tx, report_cells.spread(halves)))
    for _ in range(60):
        begin = base + chance.randrange(6 * 48) * HALF_HOUR
        end = begin + chance.randrange(1, 4 * 48) * HALF_HOUR
        with desk.db.read() as tx:
            there = report_cells.sums(tx, begin, end)
        between = sum(begin <= at < end for at in times)
        assert there.get(("refund", "bot"), Counter())["drafted"] == between
