"""What the index of words finds: the same on both databases, newest first, and what it forgets."""

from typing import Any

from sqlalchemy import text

from tests.services.people import ANA, drafted, executed, policy
from webapp.domain.filters import Filter
from webapp.domain.searching import wanted
from webapp.domain.states import State
from webapp.services.cancel import cancel
from webapp.services.desk import Desk
from webapp.services.digest import digest
from webapp.services.searchable import Searchable
from webapp.store import pruning, search
from webapp.store.engine import Tx
from webapp.store.finding import LAST
from webapp.store.reading_schema import searched

CUSTOMER = {"ref": "c-17", "name": "Meera Kumārī", "email": "meera@shop.example"}


def found(desk: Desk, before: str = LAST, limit: int = 50, **asked: Any) -> list[str]:
    """Ids by the index alone, which has digested everything."""
    while not digest(desk, [Searchable()], 60):
        pass
    with desk.db.read() as tx:
        return search.newest(tx, wanted(Filter(**asked), set()), before, limit)


def test_every_text_of_an_action_finds_it(desk: Desk) -> None:
    """Issue 5, 6: by customer, order, provider id and text, on both databases alike."""
    one = drafted(
        desk,
        summary="Torn cover — photo attached",
        reason="The policy (4.2) allows it",
        payment="pi_77Q",
        order="O/99-A",
        customer=CUSTOMER,
    ).id
    drafted(desk, "reply", body="पैसे वापस 退款已完成", summary="Crème brûlée")
    for typed in (
        *("torn", "COVER photo", "attached torn", "4.2", "policy allows", "pi_77Q", "pi_77"),
        *("O/99-A", "o-99", "c-17", "meera kumari", "meera@shop.example", "shop.example", "bot"),
    ):
        whole = typed != "pi_77"
        assert (found(desk, q=typed) == [one]) is whole or typed == "bot", typed
    assert found(desk, q="pi_77*") == [one]
    assert found(desk, q="tor*") == [one]
    assert len(found(desk, q="वापस")) == len(found(desk, q="creme BRULEE")) == 1
    assert len(found(desk, q="退款")) == 1, "a run of ideographs is found by a part of it"
    assert len(found(desk, q="bot")) == 2
    assert not found(desk, q="attached 99-torn"), "a phrase does not reach from field to field"
    assert not found(desk, q="photo-cover"), "nor is its order left open"


HOSTILE = (
    *('"', "'", "a OR b", "NOT", "words:torn", "^torn", "torn*)", "(", ")", "*", "NEAR(a b)"),
    *("a & b", "!a", "a <-> b", "':*", "\\", "torn' | 'x", "{a b}", "+", "-torn", "=", "%", "_"),
    *("kind=refund", "\u202etorn", "\u200b", "a" * 200, "é" * 200, "🙂", "--", ";", "x:*"),
)


def test_nothing_typed_is_syntax(desk: Desk) -> None:
    """Issue 5: hostile queries never raise; only words are looked for."""
    one = drafted(desk, summary="Torn cover").id
    answers = {typed: found(desk, q=typed) for typed in HOSTILE if wanted(Filter(q=typed), set())}
    assert answers.pop("-torn") == answers.pop("\u202etorn") == answers.pop("^torn") == [one]
    assert answers.pop("torn*)") == [one]
    assert len(answers) > 10
    assert not any(answers.values()), answers


def test_marks_find_what_has_no_words_in_common(desk: Desk) -> None:
    """Kind, state, agent, customer, order and amount go through the same index."""
    policy(desk, "refund", approval_above="200000:INR")
    low = drafted(desk, order="o-1", customer={"ref": "c 1"}).id
    label = drafted(desk, "label").id
    done = executed(desk, amount={"value": 90_000, "currency": "INR"}).id
    cancel(desk, low, ANA, reason="Wrong customer")
    assert found(desk, kind=("label",)) == [label]
    assert found(desk, kind=("label", "refund")) == [done, label, low]
    assert found(desk, state=(State.CANCELLED,)) == [low]
    assert found(desk, state=(State.CANCELLED, State.EXECUTED)) == [done, low]
    assert found(desk, state=(State.SCHEDULED,)) == [label]
    assert found(desk, agent="bot", limit=2) == [done, label]
    assert found(desk, agent="bo") == []
    assert found(desk, currency="INR", min=50_000) == [done]
    assert done not in found(desk, currency="INR", max=10_000)
    assert found(desk, q="wrong customer") == [low], "what was said when it was cancelled"
    assert found(desk, q="p-1") == [done], "the provider's own id"


def test_pages_go_on_where_the_last_ended(desk: Desk) -> None:
    """Newest drafted first, as many as were asked for."""
    ids = sorted((drafted(desk, summary="Torn cover").id for _ in range(6)), reverse=True)
    assert found(desk, q="torn", limit=4) == ids[:4]
    assert found(desk, ids[3], q="torn") == ids[4:]
    assert found(desk, ids[0], q="torn", limit=1) == ids[1:2]


def test_two_actions_of_one_place_are_both_found(desk: Desk) -> None:
    """Ids of one millisecond may begin alike; the second takes the place beside."""
    one = drafted(desk, summary="Torn cover")
    alike = one.id[:-1] + ("0" if one.id[-1] != "0" else "1")
    assert found(desk, q="torn") == [one.id]

    def work(tx: Tx) -> None:
        entry = search.read(tx, [one.id])[0]
        search.keep(tx, [type(entry)(alike, entry.words, entry.marks)])

    desk.db.transact(work)
    assert sorted(found(desk, q="torn")) == sorted([one.id, alike])


def _prune(desk: Desk, action_id: str) -> None:
    def work(tx: Tx) -> None:
        ended = pruning.next_rows(tx, tx.now() + 1, 50)
        pruning.empty(tx, [row for row in ended if row.id == action_id])
        search.forget(tx, [action_id])

    desk.db.transact(work)


def _kept(desk: Desk) -> str:
    """Everything that the index holds, as text."""
    with desk.db.read() as tx:
        rows = [str(row) for row in tx.conn.execute(searched.select())]
        if tx.dialect == "sqlite":
            blocks = tx.conn.execute(text("SELECT block FROM search_data")).scalars()
            rows += [bytes(one).decode("latin-1") for one in blocks]
    return "\n".join(rows)


def test_what_was_pruned_is_found_by_no_text(desk: Desk) -> None:
    """Promise 15: what it was stays findable; its words leave the index, pieces included."""
    one = executed(desk, summary="Xylophone zebra", customer=CUSTOMER, order="quokka")
    other = executed(desk, summary="Xylophone alone")
    assert len(found(desk, q="xylophone")) == 2
    _prune(desk, one.id)
    assert found(desk, q="xylophone") == [other.id]
    assert found(desk, q="meera") == found(desk, q="quokka") == []
    assert found(desk, kind=("refund",)) == found(desk, q="p-1") == [other.id, one.id]
    assert "xylophone" in _kept(desk), "self-check: words can be seen where they are"
    for gone in ("zebra", "meera", "quokka", "kumari"):
        assert gone not in _kept(desk)


def test_what_was_pruned_while_it_was_read_stays_out(desk: Desk) -> None:
    """A follower that had read it before writes no word of it after."""
    one = executed(desk, summary="Xylophone zebra", customer=CUSTOMER)
    with desk.db.read() as tx:
        entries = search.read(tx, [one.id])
    assert "zebra" in entries[0].words
    _prune(desk, one.id)
    desk.db.transact(lambda tx: search.keep(tx, entries))
    assert "zebra" not in _kept(desk)
    assert found(desk, q="zebra") == []
