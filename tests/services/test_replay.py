"""Replay says what drafting would have said, and what people's looks and cancels would have met."""

import pytest

from tests.fixtures.histories import record
from tests.services.people import ANA, drafted, executed, policy
from webapp.domain.replay import Tally
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import customers, decide, settings
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.services.replay import Replayed, replay
from webapp.store import history
from webapp.store.engine import Tx


def tried(desk: Desk, kind: str = "refund", **values: str) -> Tally:
    """What came out for the kind's row with these keys changed."""
    return result(desk, kind, **values).tally


def result(desk: Desk, kind: str = "refund", **values: str) -> Replayed:
    *_, end = replay(desk, kind, settings.tried(desk, kind, values))
    assert end.result is not None
    return end.result


def rupees(value: int) -> dict[str, object]:
    return {"value": value, "currency": "INR"}


def test_each_mode_says_what_it_would_have_done(desk: Desk) -> None:
    for value in (100, 200, 300):
        drafted(desk, amount=rupees(value))
    assert tried(desk).waited == 3
    assert tried(desk, mode="approval").approval == 3
    assert tried(desk, mode="immediate").at_once == 3
    assert tried(desk, mode="off").refused == 3
    window = tried(desk, approval_above="200:INR")
    assert (window.waited, window.approval) == (2, 1)
    assert window.reasons == {"amount above 2.00 INR": 1}
    stricter = tried(desk, approval_above="200:INR", long_window_above="100:INR", burst="1/3600")
    assert (stricter.approval, stricter.held) == (1, 1)
    assert stricter.reasons == {"amount above 2.00 INR": 1}, "only what asks for a person"
    shadow = tried(desk, mode="shadow", approval_above="200:INR")
    assert (shadow.waited, shadow.approval) == (2, 1)
    assert tried(desk, "label").actions == 0


RULES = (
    {"approval_above": "200:INR"},
    {"long_window_above": "100:USD"},
    {"flagged": "approval"},
    {"first_of_kind": "approval"},
    {"likely_duplicate": "approval"},
    {"burst": "2/3600"},
    {"spend": "450:INR/3600"},
    {"spend": "450:INR/3600", "burst": "3/60", "first_of_kind": "approval"},
)


@pytest.mark.parametrize("values", RULES)
def test_it_decides_what_drafting_decided(desk: Desk, values: dict[str, str]) -> None:
    """The rules that look back are answered from the record as they were from the rows."""
    customers.flag(desk, "c-9", "a test", "staff:ana@example.com")
    policy(desk, **values)
    made = [
        drafted(desk, amount=rupees(value), customer={"ref": ref}, order=order)
        for value, ref, order in (
            (100, "c-1", "o-1"),
            (100, "c-1", "o-1"),
            (300, "c-9", "o-2"),
            (100, "c-2", "o-3"),
            (300, "c-9", "o-2"),
        )
    ]
    found = tried(desk, **values)
    begins = [one.state for one in made]
    assert found.approval == begins.count(State.AWAITING_APPROVAL)
    assert found.held == begins.count(State.HELD)
    assert found.waited == sum(one.decision["mode"] == "window" for one in made) - found.held


def test_an_undo_is_read_from_the_payload(desk: Desk) -> None:
    drafted(desk, "webhook")
    drafted(desk, "webhook", undo=None)
    found = tried(desk, "webhook", mode="window")
    assert (found.waited, found.approval) == (1, 1)
    assert tried(desk, "webhook", mode="window", allow_no_undo="yes").waited == 2


def test_a_cancel_is_in_time_or_too_late(desk: Desk) -> None:
    one = drafted(desk)
    cancel(desk, one.id, ANA)
    assert (tried(desk).stopped, tried(desk).ran, tried(desk).too_late) == (1, 0, 0)
    at_once = tried(desk, mode="immediate")
    assert (at_once.stopped, at_once.too_late, at_once.ran) == (0, 1, 1)


def test_a_rejection_and_a_late_cancel_are_a_no_as_well(desk: Desk) -> None:
    late = executed(desk)
    cancel(desk, late.id, ANA)
    policy(desk, mode="approval")
    decide.reject(desk, drafted(desk).id, ANA, reason="no")
    found = tried(desk, mode="immediate")
    assert (found.actions, found.too_late) == (2, 2)
    assert tried(desk, mode="window").stopped == 2


def test_a_view_counts_until_the_window_is_over(desk: Desk) -> None:
    made = record(desk, 200)
    delays = []
    with desk.db.read() as tx:
        _, begin = history.span(tx, "refund", 200)
    for chunk in history.chunks(desk.db, "refund", begin, payload=False):
        delays += [
            one.first_viewed_at - one.drafted_at for one in chunk if one.first_viewed_at is not None
        ]
    assert len(made) == 200
    for seconds in (30, 300, 600):
        found = tried(desk, window_seconds=str(seconds))
        assert found.seen == sum(delay <= seconds * SECOND for delay in delays)
        assert found.unseen == 200 - found.seen
    assert found.seen < 200
    eyes = tried(desk, window_seconds="600", margin_seconds="0", needs_eyes="yes")
    assert (eyes.seen, eyes.for_eyes) == (found.seen, found.unseen)
    assert eyes.ran == eyes.seen - eyes.stopped
    margin = tried(desk, window_seconds="300", margin_seconds="60", needs_eyes="yes")
    assert margin.waited - margin.for_eyes == sum(delay < 360 * SECOND for delay in delays)
    assert margin.for_eyes < margin.unseen, "a look within the margin is in time, as for a claim"
    at_once = tried(desk, mode="immediate", needs_eyes="yes")
    assert (at_once.ran, at_once.at_once, at_once.for_eyes, at_once.too_late) == (0, 0, 200, 0)


def test_it_looks_at_the_latest_and_writes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record(desk, 30)
    monkeypatch.setattr("webapp.services.replay.MOST", 20)
    found = result(desk)
    assert (found.tally.actions, found.more) == (20, True)
    assert found.since == made[10]["drafted_at"]

    def rows(tx: Tx) -> int:
        return tx.conn.exec_driver_sql("SELECT count(*) FROM event").scalar() or 0

    with desk.db.read() as tx:
        assert rows(tx) == 0


def test_chunks_lose_and_repeat_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    record(desk, 7)
    monkeypatch.setattr(history, "_CHUNK", 5)
    monkeypatch.setattr(history, "_READ", {False: history._reading(payload=False)})
    steps = list(replay(desk, "refund", settings.tried(desk, "refund", {})))
    assert [(step.done, step.of) for step in steps] == [(0, 7), (5, 7), (7, 7), (7, 7)]
    assert steps[-1].result is not None
    assert steps[-1].result.tally.actions == 7
