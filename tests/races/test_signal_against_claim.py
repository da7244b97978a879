"""Signal against claim: of each row exactly one wins, and the answer says which.

Cases: nextcloud/mail#6334 (undone, and the old timer still fired), dbos-inc/dbos-transact-py#767
(a request that lost vanished without a word).
"""

from pathlib import Path
from typing import Any

import pytest

from tests.races.arena import ANA
from tests.races.signalling import EACH, race
from webapp.domain.signals import SignalType
from webapp.domain.states import State
from webapp.services import read
from webapp.services import signal as signals
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.signal import Signalled

TRIALS = 250
LEAST = 0.10
"""A race that one side always wins tests nothing."""


def test_of_each_row_exactly_one_wins(database_url: str, tmp_path: Path) -> None:
    tally = race(database_url, TRIALS, tmp_path)
    assert tally.faults == []
    assert tally.rows == TRIALS * EACH
    assert tally.least >= LEAST, tally
    assert tally.split > 0, "both may win a part of one signal"


@pytest.mark.parametrize("trials", [100])
def test_an_answer_from_before_the_write_is_caught(
    database_url: str, tmp_path: Path, trials: int
) -> None:
    assert race(database_url, trials, tmp_path, plant=look_then_hold).faults != []


def look_then_hold() -> None:
    """The planted bug: what is scheduled at a first look is called held, whoever takes it then."""
    hold = signals.signal

    def look_first(desk: Desk, caller: Caller, what: SignalType, **where: Any) -> Signalled:
        customer = where["customer"]
        scheduled = read.newest(desk, ANA, limit=EACH, customer=customer, state=State.SCHEDULED)
        seen = {one.id for one in scheduled}
        done = hold(desk, caller, what, customer=customer)
        return Signalled(sorted(seen), sorted({*done.held, *done.too_late} - seen))

    signals.signal = look_first
