"""What a preview measures on the desk's own rows."""

from functools import partial

from sqlalchemy import Update, update

from tests.services.people import drafted
from webapp.domain.policy import Policy
from webapp.domain.times import SECOND
from webapp.services import preview, views
from webapp.services.desk import Desk
from webapp.services.preview import VIEWS_AT_LEAST, FirstViews
from webapp.store import people
from webapp.store.engine import Tx
from webapp.store.schema import action

WINDOW = Policy.model_validate({"mode": "window", "window_seconds": 60})


def seen_after(desk: Desk, *seconds: int, kind: str = "refund") -> None:
    """One draft each, first on a screen after so many seconds."""
    for number in seconds:
        one = drafted(desk, kind)
        earlier = one.drafted_at - number * SECOND
        move = update(action).where(action.c.id == one.id).values(drafted_at=earlier)
        desk.db.transact(partial(_run, move))
        views.record(desk, _ana(desk), [(one.id, 1)])


def test_a_window_is_held_against_the_first_views(desk: Desk) -> None:
    """Issue 4, 1: from the view log, once there are twenty."""
    half = VIEWS_AT_LEAST // 2
    seen_after(desk, *[20] * (half - 1), *[300] * half)
    drafted(desk)
    seen_after(desk, 999, kind="label")
    assert preview.look(desk, "refund", WINDOW).views is None
    seen_after(desk, 20)
    found = preview.look(desk, "refund", WINDOW).views
    assert found is not None
    assert (found.seen, found.late) == (20, 10)
    assert 300 * SECOND <= found.half < 330 * SECOND
    assert not found.too_late
    seen_after(desk, 300)
    assert FirstViews(21, 11, 0).too_late
    again = preview.look(desk, "refund", WINDOW).views
    assert again is not None
    assert again.too_late


def test_an_amount_of_the_desks_own_is_shown(desk: Desk) -> None:
    """The newest one: a desk knows its own currency."""
    assert preview.look(desk, "refund", WINDOW).cases[0].amount == (30_000, "INR")
    drafted(desk, amount={"value": 4_200, "currency": "EUR"})
    drafted(desk, "label")
    assert preview.look(desk, "refund", WINDOW).cases[0].amount == (4_200, "EUR")


def _run(move: Update, tx: Tx) -> None:
    tx.conn.execute(move)


def _ana(desk: Desk) -> int:
    """Her number: she is added at the first look."""
    values = {"email": "ana@example.com", "name": "Ana", "role": "staff", "password_hash": "x"}
    desk.db.transact(lambda tx: people.add(tx, **values))
    with desk.db.read() as tx:
        found = people.by_email(tx, "ana@example.com")
    assert found is not None
    return found[0].id
