"""Signals: what they hold, what they only tell, and that a repeat is answered as the first was."""

import pytest
from sqlalchemy import select, update

from tests.services.joining import say
from tests.services.people import (
    ANA,
    OTHER,
    claimed,
    drafted,
    due,
    executed,
    finished,
    policy,
    state,
    stocked,
)
from tests.store.rows import GONE, claim_all, count_events, row, verbs
from tests.store.test_concurrency import together
from tests.unit.bodies import body
from webapp.domain.errors import Changed, Invalid, KeyReused
from webapp.domain.signals import WORDS, SignalType
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import clock, decide, read
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.services.signal import LATELY, Signalled, signal
from webapp.store import holding, schema
from webapp.store.agents import Agent

CRM = Caller.agent(Agent("crm", frozenset({"signal"})))
REPLIED: SignalType = "customer_replied"


@pytest.mark.parametrize("what", WORDS)
def test_it_holds_with_the_reason_in_words(desk: Desk, what: SignalType) -> None:
    """CONTRACT, `POST /signals`; DESIGN: scheduled <-> held by signals."""
    made = drafted(desk)
    assert signal(desk, CRM, what, customer="c-1", note=" at 10 ") == Signalled([made.id], [])
    found = row(desk.db, made.id)
    assert (found.state, found.state_by) == ("held", "agent:crm")
    assert found.state_reason == f"{WORDS[what]}: at 10"
    assert found.execute_at is None
    assert found.held_left > 290 * SECOND
    event = read.timeline(desk, made.id, ANA)[-1]
    assert (event.verb, event.actor) == ("held", "agent:crm")
    assert event.data == {"reason": f"{WORDS[what]}: at 10", "signal": what}


def test_customer_or_order_is_enough_and_others_are_left_alone(desk: Desk) -> None:
    """The safe reading of `customer?`, `order?`: what either of them touches."""
    both = drafted(desk, order="o-1").id
    customers = drafted(desk, order="o-2").id
    orders = drafted(desk, customer={"ref": "c-2"}, order="o-1").id
    neither = drafted(desk, customer={"ref": "c-2"}, order="o-2").id
    alone = drafted(desk, customer={"ref": "c-2"}).id
    assert signal(desk, ANA, REPLIED, customer="o-1", order="c-1").held == []
    assert signal(desk, ANA, REPLIED, order="o-1").held == [both, orders]
    assert signal(desk, ANA, REPLIED, customer="c-1", order="o-1").held == [customers]
    assert [state(desk, one) for one in (neither, alone)] == ["scheduled"] * 2


def test_it_touches_every_agents_actions(desk: Desk) -> None:
    """It is the world that changed."""
    mine = drafted(desk).id
    theirs = draft(desk, OTHER, body(), None).action.id
    assert signal(desk, Caller.agent(OTHER), REPLIED, customer="c-1").held == [mine, theirs]


def test_the_order_of_a_draft_that_joined_counts(desk: Desk) -> None:
    """A joined action is about every order that its drafts named."""
    first = say(desk, "one", order="o-1").action.id
    assert say(desk, "two", order="o-2").action.id == first
    assert signal(desk, CRM, REPLIED, order="o-2").held == [first]


def test_a_child_that_waits_is_held_where_it_matches_only(desk: Desk) -> None:
    """Under a held parent it does not run either way; held, it says why."""
    parent = drafted(desk)
    child = drafted(desk, "reply", depends_on=[parent.id])
    other = drafted(desk, "reply", customer={"ref": "c-2"}, depends_on=[parent.id])
    assert signal(desk, CRM, REPLIED, customer="c-1").held == [parent.id, child.id]
    assert state(desk, other.id) == "scheduled"
    assert row(desk.db, other.id).blockers == 1
    clock.release(desk, parent.id, ANA)
    assert [state(desk, one.id) for one in (parent, child)] == ["scheduled", "held"]


def test_what_began_before_is_too_late(desk: Desk) -> None:
    """Executing, unknown, or executed within a day; what ended without an effect is neither."""
    made = {end: drafted(desk).id for end in ("executing", "unknown", "failed")}
    policy(desk, mode="approval")
    made["rejected"] = drafted(desk).id
    policy(desk, mode="window")
    decide.reject(desk, made["rejected"], ANA, reason="no")
    finished(desk, made["unknown"], State.UNKNOWN)
    finished(desk, made["failed"], State.FAILED)
    long_ago, lately = executed(desk).id, executed(desk).id
    ages = {long_ago: LATELY + SECOND, lately: LATELY - 60 * SECOND}
    for one, age in ages.items():
        back = update(schema.action).where(schema.action.c.id == one)
        moved = back.values(finished_at=desk.now() - age)
        desk.db.transact(lambda tx, moved=moved: tx.conn.execute(moved))  # type: ignore[misc]
    claimed(desk, made["executing"])
    done = signal(desk, CRM, REPLIED, customer="c-1")
    assert done == Signalled([], sorted([made["executing"], made["unknown"], lately]))
    for one in done.too_late:
        assert verbs(desk.db, one)[-1] == "signalled"
    assert state(desk, made["executing"]) == "executing"
    assert "signalled" not in verbs(desk.db, long_ago) + verbs(desk.db, made["failed"])


def test_an_overdue_action_that_nobody_claimed_is_held(desk: Desk) -> None:
    """Promise 2: state decides, not the clock."""
    made = drafted(desk)
    due(desk, made.id, ago=60 * SECOND)
    assert signal(desk, CRM, REPLIED, customer="c-1").held == [made.id]
    assert claim_all(desk.db) == []


def test_who_approves_has_seen_it(desk: Desk) -> None:
    """An approval of what stood there before the customer replied is asked for again."""
    policy(desk, mode="approval")
    made = drafted(desk)
    assert signal(desk, CRM, REPLIED, customer="c-1") == Signalled([], [])
    found = row(desk.db, made.id)
    assert (found.state, found.state_reason) == ("awaiting_approval", WORDS[REPLIED])
    assert verbs(desk.db, made.id) == ["drafted", "signalled"]
    with pytest.raises(Changed):
        decide.approve(desk, made.id, ANA, seen=made.version)
    assert decide.approve(desk, made.id, ANA, seen=found.version).state == "scheduled"


def test_what_was_held_keeps_its_reason_and_is_told(desk: Desk) -> None:
    """It waits for a person already; the timeline says what happened meanwhile."""
    made = drafted(desk)
    clock.hold(desk, made.id, ANA, reason="asking Ben")
    assert signal(desk, CRM, REPLIED, customer="c-1") == Signalled([], [])
    assert row(desk.db, made.id).state_reason == "asking Ben"
    assert verbs(desk.db, made.id) == ["drafted", "held", "signalled"]


def test_a_hold_renews_a_reservation(desk: Desk) -> None:
    """DESIGN: a hold or an extension renews it."""
    stocked(desk, 5)
    policy(desk, "exchange", reservation_seconds="7200")
    made = drafted(desk, "exchange")
    before = row(desk.db, made.id).reserved_until
    policy(desk, "exchange", reservation_seconds="14400")
    signal(desk, CRM, REPLIED, customer="c-1")
    found = row(desk.db, made.id)
    assert found.reserved_until > before + 7_000 * SECOND
    assert found.renewals == 1


@pytest.mark.parametrize("where", [{"customer": "c-9"}, {"order": "o-9"}])
def test_one_that_touches_nothing_says_so(desk: Desk, where: dict[str, str]) -> None:
    """A signal about somebody whom nothing concerns is no mistake."""
    drafted(desk, order="o-1")
    before = count_events(desk.db)
    assert signal(desk, CRM, REPLIED, **where) == Signalled([], [])
    assert count_events(desk.db) == before


def test_it_needs_somebody_or_something(desk: Desk) -> None:
    """Nothing is written when it is refused."""
    made = drafted(desk)
    with pytest.raises(Invalid) as refusal:
        signal(desk, CRM, REPLIED, note="somebody replied")
    assert [error.pointer for error in refusal.value.errors] == ["/customer", "/order"]
    assert state(desk, made.id) == "scheduled"


def test_the_same_key_is_answered_as_the_first_was(desk: Desk) -> None:
    """Promise 9: whatever happened meanwhile, and nothing is held again."""
    made = drafted(desk)
    first = signal(desk, CRM, REPLIED, customer="c-1", key="k")
    clock.release(desk, made.id, ANA)
    later = drafted(desk)
    assert signal(desk, CRM, REPLIED, customer="c-1", key="k") == first
    assert [state(desk, one) for one in (made.id, later.id)] == ["scheduled"] * 2
    with pytest.raises(KeyReused):
        signal(desk, CRM, "order_changed", customer="c-1", key="k")
    # another caller's key is another key
    assert signal(desk, ANA, REPLIED, customer="c-1", key="k").held == [made.id, later.id]


def test_without_a_key_each_is_its_own(desk: Desk) -> None:
    """A second reply holds what was released or drafted since."""
    made = drafted(desk)
    for _ in range(2):
        assert signal(desk, CRM, REPLIED, customer="c-1").held == [made.id]
        clock.release(desk, made.id, ANA)


def test_one_put_back_to_be_tried_again_at_that_moment_is_held(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a hold and the look for what is too late, a worker gives a row back."""
    made = drafted(desk).id
    claimed(desk, made)
    hold = holding.hold_touched
    looks: list[list[str]] = []

    def given_back(*asked: object) -> list[str]:
        looks.append(hold(*asked))  # type: ignore[arg-type]
        if len(looks) == 1:
            tx = asked[0]
            back = update(schema.action).where(schema.action.c.id == made)
            tx.conn.execute(back.values(state="scheduled"))  # type: ignore[attr-defined]
        return looks[-1]

    monkeypatch.setattr(holding, "hold_touched", given_back)
    assert signal(desk, CRM, REPLIED, customer="c-1") == Signalled([made], [])
    assert looks == [[], [made]]


def test_of_signals_at_once_each_row_is_held_by_one(desk: Desk) -> None:
    """Rows are locked in one order: none waits for another in a circle."""
    made = [drafted(desk, order=f"o-{number % 3}").id for number in range(9)]
    asked = [{"customer": "c-1"}, {"order": "o-0"}, {"order": "o-1"}, {"customer": "c-1"}]

    def told(where: dict[str, str]) -> Signalled:
        return signal(desk, CRM, REPLIED, **where)

    done = together([lambda where=where: told(where) for where in asked])  # type: ignore[misc]
    assert sorted(one for each in done for one in each.held) == sorted(made)
    assert {state(desk, one) for one in made} == {"held"}
    assert all(verbs(desk.db, one).count("held") == 1 for one in made)


def test_of_one_key_at_once_all_are_answered_alike(desk: Desk) -> None:
    """Promise 9: an agent that sends again before the first has answered."""
    made = drafted(desk).id
    done = together([lambda: signal(desk, CRM, REPLIED, customer="c-1", key="k")] * 4)
    assert done == [Signalled([made], [])] * 4
    assert verbs(desk.db, made) == ["drafted", "held"]


def test_a_signal_is_kept_with_who_sent_it(desk: Desk) -> None:
    """Promise 15: what decided an action's fate can be read."""
    signal(desk, CRM, REPLIED, customer="c-1", note="n", key="secret")
    with desk.db.read() as tx:
        (kept,) = tx.conn.execute(select(schema.signal)).all()
    assert (kept.type, kept.customer_ref, kept.order_ref) == (REPLIED, "c-1", None)
    assert (kept.note, kept.sent_by) == ("n", "agent:crm")
    assert "secret" not in kept.request_key
    assert GONE not in kept.answer
