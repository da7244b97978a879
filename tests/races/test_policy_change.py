"""Issue 4, policy change against drafting: the table that stands decides, in all processes."""

from typing import Any
from unittest import mock

import pytest
from sqlalchemy import select

from tests.races.changing import CHANGES, race
from webapp.store import drafting
from webapp.store.drafting import NewAction
from webapp.store.engine import Tx
from webapp.store.schema import desk


@pytest.mark.parametrize("rules", [{}, {"burst": "900000/60"}], ids=["plain", "decided inside"])
def test_no_draft_is_decided_by_a_table_that_was_replaced(
    database_url: str, rules: dict[str, str]
) -> None:
    tally = race(database_url, rules)
    assert tally.faults == []
    assert tally.policies > CHANGES // 2, "the drafts have to meet the changes"


def _any_revision_will_do() -> None:
    found = drafting.draft

    def blind(tx: Tx, new: NewAction) -> Any:
        now = tx.conn.scalar(select(desk.c.revision)) or 0
        return found(tx, NewAction(new.values, now, new.data, new.stops))

    mock.patch.object(drafting, "draft", blind).start()


def test_a_draft_that_does_not_look_at_the_revision_is_caught(database_url: str) -> None:
    """The campaign is worth something."""
    assert race(database_url, {}, plant=_any_revision_will_do).faults
