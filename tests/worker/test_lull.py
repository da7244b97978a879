"""Slow rounds find the gaps between actions, and are held up for ever by nobody."""

import threading
import time

import pytest

from tests.fixtures.desk import wait_until
from tests.worker.stage import Recorder, get, make_desk, plant, row, until, working
from webapp.domain.states import State
from webapp.domain.times import MILLISECOND, SECOND
from webapp.services.digest import PIECE, behind
from webapp.services.followers import FOLLOWERS
from webapp.store.engine import Database
from webapp.store.wakeup import NOTHING
from webapp.worker import worker as workers
from webapp.worker.lull import _PIECE, FAR, Lull


class Due:
    """How far away the next action is, and how often that was asked."""

    def __init__(self, *left: int) -> None:
        self.left, self.asked = list(left), 0

    def __call__(self) -> int:
        self.asked += 1
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def lull(*left: int, idle: bool = True) -> Lull:
    """One whose dispatcher waits, or does not."""
    found = Lull(Due(*left))
    found.idle = idle
    return found


@pytest.mark.parametrize("left", [FAR, NOTHING])
def test_with_nothing_due_soon_work_begins_at_once(left: int) -> None:
    assert lull(left).wait(0) == left


@pytest.mark.parametrize("left", [0, FAR - 1, -SECOND])
def test_with_something_due_soon_work_waits_and_then_goes_on(left: int) -> None:
    """Within the time that it was given: a desk that never pauses has to be counted too."""
    began = time.monotonic()
    assert not lull(left).wait(0.02)
    assert time.monotonic() - began >= 0.02


def test_once_what_was_due_is_gone_work_begins() -> None:
    assert lull(MILLISECOND, -1, FAR).wait(5)


def test_a_dispatcher_at_work_is_no_lull() -> None:
    """What it has claimed begins at this moment, whatever is due next."""
    assert not lull(NOTHING, idle=False).wait(0.01)


def test_one_piece_after_the_other() -> None:
    """Several rounds that begin at the same second do not all start in the same gap."""
    one, let_in = lull(NOTHING), []

    def work() -> None:
        assert one.wait(5)
        let_in.append(time.monotonic())

    threads = [threading.Thread(target=work) for _ in range(4)]
    began = time.monotonic()
    for each in threads:
        each.start()
    for each in threads:
        each.join(10)
    assert len(let_in) == len(threads)
    # Not from one to the next: a busy machine wakes the first late, and the second then seems near.
    assert max(let_in) - began >= 3 * _PIECE


def test_a_closed_one_lets_everybody_go() -> None:
    one = lull(0)
    began = time.monotonic()
    threading.Timer(0.05, one.close).start()
    assert not one.wait(60)
    assert time.monotonic() - began < 30


def test_a_busy_desk_is_counted_all_the_same(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With something due every few milliseconds there is no lull, and the followers keep up."""
    monkeypatch.setattr(workers, "DIGEST_SECONDS", 0.1)
    desk, connector = make_desk(database), Recorder()
    start = database.now() + 200 * MILLISECOND
    ids = plant(database, *(row(start + number * 4 * MILLISECOND) for number in range(300)))
    with working(desk, connector):
        until(database, ids[-1], State.EXECUTED, seconds=30)
        wait_until(lambda: not any(behind(desk, one.name) for one in FOLLOWERS), seconds=30)
    assert {get(database, one).state for one in ids} == {State.EXECUTED}
    assert workers.BRIEF < PIECE
