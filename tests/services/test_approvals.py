"""`approval_ttl_seconds` and the queue, through the services."""

import pytest
from sqlalchemy import update

from tests.services.people import ANA, drafted, policy, state
from tests.store.rows import row
from webapp.domain.errors import NotAwaiting
from webapp.domain.times import SECOND
from webapp.services import again, approvals, decide, read
from webapp.services.desk import Desk
from webapp.store.schema import action


@pytest.fixture
def waits(desk: Desk) -> Desk:
    """Refunds wait for approval."""
    policy(desk, mode="approval")
    return desk


def expired(desk: Desk, action_id: str) -> None:
    """Its time to be decided on is over."""
    past = update(action).where(action.c.id == action_id).values(approve_by=desk.now() - 1)
    desk.db.transact(lambda tx: tx.conn.execute(past))


def test_it_waits_for_as_long_as_the_policy_that_drafted_it_says(waits: Desk) -> None:
    """CONTRACT, approval_ttl_seconds: a day by default."""
    first = drafted(waits)
    policy(waits, approval_ttl_seconds="90")
    second = drafted(waits)
    policy(waits, mode="window")
    scheduled = drafted(waits)
    found = [read.get(waits, one.id, ANA) for one in (first, second, scheduled)]
    spans = [one.approve_by and one.approve_by - one.drafted_at for one in found]
    assert spans == [86_400 * SECOND, 90 * SECOND, None]
    assert found == [first, second, scheduled], "as the draft answered"


def test_nobody_decided(waits: Desk) -> None:
    one, young = drafted(waits), drafted(waits)
    expired(waits, one.id)
    assert approvals.expire_approvals(waits) == [one.id]
    assert approvals.expire_approvals(waits) == []
    assert (state(waits, one.id), state(waits, young.id)) == ("rejected", "awaiting_approval")
    with pytest.raises(NotAwaiting, match="it is rejected, by policy"):
        decide.approve(waits, one.id, ANA)
    repeat = again.again(waits, one.id, ANA).action
    assert (repeat.state, repeat.again_of) == ("awaiting_approval", one.id)
    assert (repeat.approve_by or 0) > waits.now()


def test_an_approval_that_comes_before_the_sweep_counts(waits: Desk) -> None:
    """State decides, not the clock."""
    one = drafted(waits)
    expired(waits, one.id)
    assert decide.approve(waits, one.id, ANA).state == "scheduled"
    assert approvals.expire_approvals(waits) == []
    assert row(waits.db, one.id).state == "scheduled"


def test_the_queue_is_cut_and_counted(waits: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [drafted(waits).id for _ in range(4)]
    monkeypatch.setattr(approvals, "ROWS", 3)
    queue = approvals.queue(waits)
    assert [one.id for one in queue.rows] == ids[:3]
    assert (queue.waiting, approvals.waiting(waits)) == (4, 4)
