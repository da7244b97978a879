"""The customer's link: signed, not stored, and never ahead of the truth."""

import pytest

from tests.services.people import ANA, DONE, drafted, executed, finished, policy
from tests.store.rows import GONE, put
from webapp.config import Settings
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.services.compensate import compensate
from webapp.services.desk import Desk
from webapp.services.status import by_token, token, url

KEY = "k" * 32


def with_keys(desk: Desk, key: str, *older: str) -> Desk:
    return Desk(desk.db, Settings(secret_key=key, secret_key_fallbacks=older))


def test_a_link_leads_to_its_action(desk: Desk) -> None:
    """CONTRACT, `/s/TOKEN`."""
    made = drafted(desk)
    found = by_token(desk, token(desk.settings, made.id))
    assert found is not None
    assert (found.action.id, found.status) == (made.id, "scheduled")
    assert url(desk.settings, made.id) == f"http://127.0.0.1:8000/s/{token(desk.settings, made.id)}"


def test_a_link_gives_no_id_away_in_the_clear_and_is_always_the_same(desk: Desk) -> None:
    """Mails sent twice carry one link."""
    made = drafted(desk)
    assert token(desk.settings, made.id) == token(desk.settings, made.id)


def test_a_tampered_link_leads_nowhere(desk: Desk) -> None:
    """CONTRACT: 404 for anything not valid."""
    good = token(desk.settings, drafted(desk).id)
    other = token(desk.settings, drafted(desk).id)
    mixed = other.rpartition(".")[0] + "." + good.rpartition(".")[2]
    changed = [good[:place] + "!" + good[place + 1 :] for place in range(len(good))]
    for wrong in ["", ".", "é.ü", "x" * 5_000, good[:-1], good + "=", good + ".", mixed, *changed]:
        assert by_token(desk, wrong) is None, wrong
    assert by_token(desk, good.swapcase()) is None


def test_a_link_to_what_is_not_there_leads_nowhere(desk: Desk) -> None:
    """Signed, and yet nothing to show."""
    for missing in (GONE, "", "x"):
        assert by_token(desk, token(desk.settings, missing)) is None


def test_an_older_key_still_opens_until_it_is_taken_out(desk: Desk) -> None:
    """CONTRACT, `UNDO_DESK_SECRET_KEY_FALLBACKS`."""
    made = drafted(desk)
    link = token(desk.settings, made.id)
    rotated = with_keys(desk, "new" * 12, KEY)
    assert by_token(rotated, link) is not None
    assert by_token(rotated, token(rotated.settings, made.id)) is not None
    assert by_token(with_keys(desk, "new" * 12), link) is None
    assert by_token(desk, token(rotated.settings, made.id)) is None


STATUS = {
    State.AWAITING_APPROVAL: "awaiting",
    State.SCHEDULED: "scheduled",
    State.HELD: "held",
    State.EXECUTING: "working",
    State.EXECUTED: "working",
    State.CANCELLED: "cancelled",
    State.REJECTED: "cancelled",
    State.FAILED: "problem",
    State.UNKNOWN: "working",
}
"""CONTRACT, Browser: `rejected` shows as cancelled, `unknown` as working, `failed` as problem."""


@pytest.mark.parametrize("state", State)
def test_a_customer_reads_what_the_contract_says(desk: Desk, state: State) -> None:
    """Done is never said before the effect is settled."""
    found = by_token(desk, token(desk.settings, put(desk.db, state)))
    assert found is not None
    assert found.status == STATUS[state]


@pytest.mark.parametrize(
    ("effect", "status"),
    [
        ("settled", "done"),
        ("submitted", "working"),
        ("failed_later", "problem"),
        ("reversed", "cancelled"),
    ],
)
def test_done_is_said_only_when_the_effect_is_settled(desk: Desk, effect: str, status: str) -> None:
    """DESIGN: `executed` means the provider took it; the customer reads done only when settled."""
    one = put(desk.db, State.EXECUTED, effect=DONE.replace("settled", effect))
    found = by_token(desk, token(desk.settings, one))
    assert found is not None
    assert found.status == status


def test_a_reversed_refund_is_not_done(desk: Desk) -> None:
    """As above, by the whole road."""
    policy(desk, window_seconds="1")
    made = executed(desk)
    name = KINDS["refund"].way_back
    assert name is not None
    link = token(desk.settings, made.id)
    before = by_token(desk, link)
    back = compensate(desk, made.id, ANA, name=name.name).action
    finished(desk, back.id, State.EXECUTED, DONE)
    after = by_token(desk, link)
    assert before is not None
    assert after is not None
    assert (before.status, after.status) == ("done", "cancelled")
