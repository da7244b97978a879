"""Versions of a policy: who changed what, and an earlier one put back."""

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from tests.services.people import drafted
from tests.services.test_gate import no_mail
from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.domain.policy import Policy, default_policy
from webapp.domain.times import SECOND
from webapp.services import settings, versions
from webapp.services.desk import Desk
from webapp.store import admin_log, policies
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.people_schema import admin_change
from webapp.store.schema import policy_change

__all__ = ["no_mail"]

ANA, BEN = "staff:ana@example.com", "staff:ben@example.com"


def change(desk: Desk, by: str = ANA, kind: str = "refund", **values: str) -> int:
    """The version that it makes."""
    settings.change(desk, kind, values, by)
    return versions.changes(desk, 1, kind)[0].id


def test_a_restored_version_is_a_change_that_equals_it(desk: Desk) -> None:
    """Issue 4, 7."""
    first = change(desk, window_seconds="60", approval_above="500000:INR")
    row = desk.policy("refund")
    change(desk, BEN, mode="approval", window_seconds="900", approval_above="none")
    assert versions.restore(desk, "refund", first, BEN) == row == desk.policy("refund")
    last = versions.changes(desk, 1)[0]
    assert (last.by, last.kind, last.restores) == (BEN, "refund", first)
    assert ("window_seconds", 900, 60) in last.keys
    assert [one.restores for one in versions.changes(desk, 10, "refund")][1:] == [None] * 3


def test_drafts_follow_what_was_restored(desk: Desk) -> None:
    """It raises the revision like any change."""
    first = change(desk, window_seconds="60")
    change(desk, mode="approval")
    assert drafted(desk).state == "awaiting_approval"
    versions.restore(desk, "refund", first, ANA)
    assert drafted(desk).window == 60 * SECOND


def test_the_defaults_can_be_restored(desk: Desk) -> None:
    """The version before the first."""
    versions.restore(desk, "refund", versions.DEFAULTS, ANA)
    assert desk.policy("refund") == default_policy("refund") == Policy()


@pytest.mark.parametrize("number", [-1, 10**6, 2**31, 2**70])
def test_there_is_no_version_that_there_never_was(desk: Desk, number: int) -> None:
    """Never a 500, however large the number."""
    with pytest.raises(NotFound):
        versions.restore(desk, "refund", number, ANA)


def test_another_kinds_version_is_none(desk: Desk) -> None:
    """A row of exchanges is none for refunds."""
    other = change(desk, kind="exchange", window_seconds="60")
    with pytest.raises(NotFound):
        versions.restore(desk, "refund", other, ANA)


def test_a_restore_from_a_page_that_is_old_is_refused(desk: Desk) -> None:
    """As for every change."""
    first = change(desk, window_seconds="60")
    seen = settings.mark(desk.policy("refund"))
    change(desk, BEN, window_seconds="70")
    with pytest.raises(Changed):
        versions.restore(desk, "refund", first, ANA, seen=seen)
    assert desk.policy("refund").window_seconds == 70


def test_a_restored_version_is_checked_like_any(no_mail: Desk) -> None:
    """Its mode by the gate, and what is no row any more by the row's own rules."""
    no_mail.db.transact(lambda tx: policies.write(tx, "reply", {"mode": "window"}, ANA))
    ran = versions.changes(no_mail, 1)[0].id
    settings.change(no_mail, "reply", {"mode": "approval"}, ANA)
    with pytest.raises(Invalid, match="mail server"):
        versions.restore(no_mail, "reply", ran, ANA)
    no_mail.db.transact(lambda tx: policies.write(tx, "reply", {"mode": "later"}, ANA))
    odd = versions.changes(no_mail, 1)[0].id
    no_mail.db.transact(lambda tx: policies.write(tx, "reply", {"mode": "off"}, ANA))
    with pytest.raises(Invalid, match="not valid any more"):
        versions.restore(no_mail, "reply", odd, ANA)
    assert no_mail.policy("reply").mode == "off"


def test_an_unknown_key_of_an_old_row_shows_its_default_before(desk: Desk) -> None:
    """What a row did not have yet did not change."""
    desk.db.transact(lambda tx: policies.write(tx, "label", {"mode": "off"}, ANA))
    change(desk, kind="label", mode="approval")
    assert versions.changes(desk, 1)[0].keys == (("mode", "off", "approval"),)


def test_who_changed_what_is_kept_for_ever(desk: Desk) -> None:
    """Promise 15: the database itself refuses to forget."""
    change(desk, window_seconds="60")
    desk.db.transact(lambda tx: admin_log.note(tx, Area.PEOPLE, "ana", "added", "command"))
    for statement in (
        delete(policy_change),
        update(policy_change).values(changed_by="nobody"),
        delete(admin_change),
        update(admin_change).values(changed_by="nobody"),
    ):

        def forget(tx: Tx, statement: object = statement) -> None:
            tx.conn.execute(statement)  # type: ignore[call-overload]

        with pytest.raises(DBAPIError, match="append-only"):
            desk.db.transact(forget)
