"""The ladder's evidence is what the records say."""

from sqlalchemy import update

from tests.fixtures.histories import looker
from tests.services.people import ANA, BEN, drafted, policy
from webapp.domain.times import SECOND
from webapp.services import decide, views
from webapp.services.desk import Desk
from webapp.services.ladder import ladder
from webapp.store.schema import action


def test_nothing_is_claimed_without_evidence(desk: Desk) -> None:
    found = ladder(desk, "refund")
    assert (found.approvals.decided, found.approvals.half, found.shadow.recorded) == (0, None, 0)
    assert (found.views.seen, found.views.half, found.test) == (0, None, None)
    assert [step.missing for step in found.gate] == [None, None]


def test_approvals_by_people_are_counted_with_their_waits(desk: Desk) -> None:
    policy(desk, mode="approval")
    one, two, three = (drafted(desk).id for _ in range(3))
    back = update(action).where(action.c.id == one).values(drafted_at=desk.now() - 3_600 * SECOND)
    desk.db.transact(lambda tx: tx.conn.execute(back))
    decide.approve(desk, one, ANA)
    decide.reject(desk, two, BEN, reason="no")
    found = ladder(desk, "refund").approvals
    assert (found.approved, found.rejected, found.waiting, found.expired) == (1, 1, 1, 0)
    assert found.nine_of_ten is not None
    assert 3_600 * SECOND <= found.nine_of_ten < 3_660 * SECOND
    assert three


def test_shadow_tells_a_late_rejection_from_one_in_time(desk: Desk) -> None:
    policy(desk, mode="shadow", window_seconds="600")
    in_time, late, approved = (drafted(desk).id for _ in range(3))
    decide.reject(desk, in_time, ANA, reason="no")
    policy(desk, window_seconds="0", margin_seconds="0")
    decide.reject(desk, drafted(desk).id, ANA, reason="no")
    decide.approve(desk, approved, ANA)
    found = ladder(desk, "refund").shadow
    assert (found.recorded, found.rejected_in_time, found.rejected_too_late) == (3, 1, 1)
    assert found.approved == 1
    assert late


def test_first_views_are_held_beside_the_proposed_window(desk: Desk) -> None:
    who = looker(desk)
    quick, slow, _unseen = (drafted(desk).id for _ in range(3))
    back = update(action).where(action.c.id == slow).values(drafted_at=desk.now() - 90 * SECOND)
    desk.db.transact(lambda tx: tx.conn.execute(back))
    views.record(desk, who, [(quick, 1), (slow, 1)])
    found = ladder(desk, "refund", 61).views
    assert (found.actions, found.seen, found.window, found.in_time) == (3, 2, 61, 1)
    assert dict(found.caught)[120] == 2
