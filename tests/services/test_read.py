"""Reading: newest first, an agent's own only, links both ways."""

import pytest

from tests.services.people import ANA, BOT, OTHER, drafted, executed
from tests.store.rows import GONE, put
from tests.unit.bodies import body
from webapp.domain.errors import NotFound
from webapp.domain.states import State
from webapp.services import read
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.services.follow import follow
from webapp.store import actions


def test_lists_are_newest_first_and_page_without_gaps(desk: Desk) -> None:
    """CONTRACT, GET /actions: newest drafted first, with a cursor."""
    ids = [drafted(desk).id for _ in range(7)]
    found: list[str] = []
    before = None
    while page := read.newest(desk, ANA, limit=3, before=before):
        found += [one.id for one in page]
        before = page[-1].id
    assert found == ids[::-1]


def test_filters_are_combined(desk: Desk) -> None:
    """CONTRACT, GET /actions?state=&kind=&agent=&customer=&order=."""
    one = drafted(desk, "reply", order="o-1", customer={"ref": "c-9"})
    drafted(desk, "reply", order="o-2", customer={"ref": "c-9"})
    drafted(desk, order="o-1", customer={"ref": "c-9"})
    found = read.newest(desk, ANA, limit=9, kind="reply", order="o-1", customer="c-9")
    assert [each.id for each in found] == [one.id]
    assert read.newest(desk, ANA, limit=9, state="executed") == []
    assert read.newest(desk, ANA, limit=9, agent="bot", state="scheduled", kind="refund")


def test_an_agent_sees_its_own_only(desk: Desk) -> None:
    """CONTRACT: not one's own: 404, and in no list."""
    own, foreign = drafted(desk), draft(desk, OTHER, body(), None).action
    caller = Caller.agent(BOT)
    assert [one.id for one in read.newest(desk, caller, limit=9)] == [own.id]
    assert read.newest(desk, caller, limit=9, agent="other") == []
    assert {one.action for one in follow(desk, caller, "0.0", 9).events} <= {own.id}
    for call in (read.get, read.timeline):
        with pytest.raises(NotFound):
            call(desk, foreign.id, caller)
        with pytest.raises(NotFound):
            call(desk, GONE, ANA)


def test_an_action_is_read_as_it_was_drafted(desk: Desk) -> None:
    """What the insert answers is what a read answers."""
    made = drafted(desk, "webhook", reason="why\nnot", order="o-1")
    assert read.get(desk, made.id, ANA) == made
    with desk.db.read() as tx:
        assert actions.many(tx, [made.id, GONE]) == {made.id: made}
        assert actions.many(tx, []) == {}


def test_links_are_read_both_ways(desk: Desk) -> None:
    """CONTRACT, an action: `depends_on`, `compensated_by`, `compensates`."""
    parent = drafted(desk)
    child = drafted(desk, depends_on=[parent.id])
    original = executed(desk)
    back = put(desk.db, kind="refund.reversal", compensates=original.id)
    with desk.db.read() as tx:
        found = actions.many(tx, [child.id, original.id, back])
    assert found[child.id].depends_on == (parent.id,)
    assert found[original.id].compensated_by == (back,)
    assert found[back].compensates == original.id
    assert found[original.id].effect == {"status": "settled", "provider_id": "p-1", "detail": {}}
    assert found[original.id].state is State.EXECUTED
