"""Joining drafts (`merge_key`): three comments, one message, and never somebody else's."""

from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.services.joining import every, say, sends
from tests.services.people import ANA, OTHER, claimed, drafted, due, policy, state
from tests.store.rows import count_events, row, verbs
from tests.store.test_concurrency import together
from webapp.domain.errors import Changed, Invalid, KeyReused, KindOff
from webapp.domain.states import State
from webapp.domain.times import SECOND, to_rfc3339
from webapp.services import again, cancel, clock, customers, decide, read, views
from webapp.services.desk import Desk
from webapp.store import people
from webapp.store.schema import action, part


def test_three_comments_are_one_message(desk: Desk) -> None:
    """DESIGN: a second draft in the same scope joins; three windows in all, then a new action."""
    results = [say(desk, text) for text in ("One", "Two", "Three", "Four", "Five")]
    assert [result.created for result in results] == [True, False, False, True, False]
    first, *_, fourth = [result.action.id for result in results]
    assert [result.action.id for result in results] == [first] * 3 + [fourth] * 2
    assert sends(desk.db, first) == "One\n\nTwo\n\nThree"
    assert sends(desk.db, fourth) == "Four\n\nFive"
    assert results[2].action == read.get(desk, first, ANA)
    assert verbs(desk.db, first) == ["drafted", "merged", "merged"]


def test_a_join_decides_again_and_begins_the_window_anew(desk: Desk) -> None:
    """DESIGN: runs `decide()` again, raises the version, clears the views, restarts the window."""
    first = say(desk, "One").action
    views.record(desk, person(desk), [(first.id, first.version)])
    assert row(desk.db, first.id).first_viewed_at is not None
    due(desk, first.id, ago=5 * SECOND)
    policy(desk, "reply", window_seconds="90", margin_seconds="2")
    joined = say(desk, "Two").action
    assert (joined.version, joined.first_viewed_at, joined.merges) == (first.version + 1, None, 1)
    assert (joined.window, joined.margin) == (90 * SECOND, 2 * SECOND)
    assert joined.cancel_by is not None
    assert joined.cancel_by > desk.now() + 80 * SECOND
    assert joined.execute_at == joined.cancel_by + 2 * SECOND
    assert joined.decision == {
        "mode": "window", "because": ["joined from 2 drafts", "window of 90 s"],
    }  # fmt: skip
    event = read.timeline(desk, first.id, ANA)[-1]
    assert (event.verb, event.actor, event.data["drafts"]) == ("merged", "agent:bot", 2)
    assert (event.data["before"], event.data["payload_hash"]) == (
        first.payload_hash,
        joined.payload_hash,
    )


def test_a_view_of_the_text_before_does_not_count(desk: Desk) -> None:
    """Promise 13: a screen that reports late has not seen what another draft added."""
    first = say(desk, "One").action
    joined = say(desk, "Two").action
    views.record(desk, person(desk), [(first.id, first.version)])
    assert row(desk.db, first.id).first_viewed_at is None
    clock.extend(desk, first.id, ANA, seconds=1)
    views.record(desk, person(desk), [(first.id, joined.version)])
    assert row(desk.db, first.id).first_viewed_at is not None, "the text is the one it saw"


def test_who_saw_the_version_before_is_asked_to_look_again(desk: Desk) -> None:
    """CONTRACT, `version`: stale is `changed`."""
    first = say(desk, "One").action
    say(desk, "Two")
    with pytest.raises(Changed):
        clock.run_now(desk, first.id, ANA, seen=first.version)


def test_a_join_is_never_nearer(desk: Desk) -> None:
    """Promise 3: what people were given more time for keeps it; `not_before` only lengthens."""
    first = say(desk, "One").action
    late = clock.extend(desk, first.id, ANA, seconds=3_600)
    assert say(desk, "Two").action.execute_at == late.execute_at
    tomorrow = desk.now() + 86_400 * SECOND
    third = say(desk, "Three", not_before=to_rfc3339(tomorrow)).action
    assert (third.execute_at or 0) >= tomorrow - 1_000
    fourth = say(desk, "Four", not_before=to_rfc3339(tomorrow)).action
    fifth = say(desk, "Five").action
    assert (fifth.id, fifth.execute_at) == (fourth.id, fourth.execute_at)


def test_webhooks_become_a_list(desk: Desk) -> None:
    """CONTRACT: webhook: `body` becomes a list, and the count says that it was joined."""
    first = say(desk, [1, 2], "webhook").action
    assert sends(desk.db, first.id) == [1, 2]
    assert say(desk, None, "webhook").action.id == first.id
    third = say(desk, {"a": 3}, "webhook").action
    assert sends(desk.db, third.id) == [[1, 2], None, {"a": 3}]
    assert third.decision["because"][0] == "joined from 3 drafts"


ELSE: list[dict[str, Any]] = [
    {"customer": "c-2"},
    {"to": "ben@example.com"},
    {"merge_key": "n"},
    {"merge_key": None},
    {"agent": OTHER},
]


@pytest.mark.parametrize("other", ELSE, ids=lambda other: str(next(iter(other))))
def test_another_scope_is_another_action(desk: Desk, other: dict[str, Any]) -> None:
    """DESIGN: the scope is (kind, agent, customer, recipient, key)."""
    first = say(desk, "One").action
    second = say(desk, "Two", **other)
    assert second.created
    assert (sends(desk.db, first.id), sends(desk.db, second.action.id)) == ("One", "Two")
    assert say(desk, "Three").action.id == first.id, "the newest of the scope, not of all"


def left_alone(desk: Desk, first: str) -> None:
    """A further draft begins an action of its own, and the first is as it was."""
    before = row(desk.db, first)
    second = say(desk, "Two")
    assert second.created
    assert row(desk.db, first) == before
    assert sends(desk.db, second.action.id) == "Two"


@pytest.mark.parametrize(
    "gone", [State.HELD, State.CANCELLED, State.EXECUTING, State.EXECUTED, State.UNKNOWN]
)
def test_what_is_not_scheduled_is_not_joined(desk: Desk, gone: State) -> None:
    """DESIGN: `scheduled` only; Foundry376/Mailspring#390: what runs is what was shown."""
    first = say(desk, "One").action.id
    if gone is State.HELD:
        clock.hold(desk, first, ANA)
    elif gone is State.CANCELLED:
        cancel.cancel(desk, first, ANA)
    else:
        claimed(desk, first)
        if gone is not State.EXECUTING:
            move = {"state": gone.value}
            if gone is State.EXECUTED:
                move |= {"finished_at": desk.now()}  # type: ignore[dict-item]
            change = update(action).where(action.c.id == first).values(**move)
            desk.db.transact(lambda tx: tx.conn.execute(change))
    left_alone(desk, first)


def test_what_a_person_approved_or_sent_ahead_is_not_joined(desk: Desk) -> None:
    """DESIGN: not yet approved by a person; also not after a hold and a release."""
    policy(desk, "reply", mode="approval")
    first = say(desk, "One").action
    assert say(desk, "Other").created, "what waits for approval is not scheduled"
    policy(desk, "reply", mode="window")
    decide.approve(desk, first.id, ANA)
    clock.hold(desk, first.id, ANA)
    clock.release(desk, first.id, ANA)
    left_alone(desk, first.id)
    ahead = say(desk, "Now", merge_key="now").action
    clock.run_now(desk, ahead.id, ANA)
    assert say(desk, "Too", merge_key="now").created


def test_what_was_tried_is_not_joined(desk: Desk) -> None:
    """DESIGN, Stripe: the parameters are frozen: a provider knows the key by them."""
    first = say(desk, "One").action.id
    claimed(desk, first)
    retry = update(action).where(action.c.id == first).values(state="scheduled")
    desk.db.transact(lambda tx: tx.conn.execute(retry))
    left_alone(desk, first)


def test_a_draft_that_waits_for_others_neither_joins_nor_is_joined(desk: Desk) -> None:
    """What depends on a refund must not be held up, or cancelled, with what does not."""
    parent = drafted(desk)
    first = say(desk, "One").action
    waiting = say(desk, "Two", depends_on=[parent.id])
    assert waiting.created
    assert say(desk, "Three").action.id == first.id
    assert sends(desk.db, waiting.action.id) == "Two"
    clock.hold(desk, first.id, ANA)
    assert say(desk, "Four").created


def test_what_would_need_approval_together_begins_a_new_action(desk: Desk) -> None:
    """No arrow leads from scheduled to awaiting_approval: the first runs as it was shown."""
    first = say(desk, "One").action
    customers.flag(Desk(desk.db, desk.settings), "c-1", "chargebacks", ANA.actor)
    second = say(desk, "Two")
    assert (second.created, second.action.state) == (True, State.AWAITING_APPROVAL)
    assert (state(desk, first.id), sends(desk.db, first.id)) == ("scheduled", "One")


def test_a_kind_that_was_switched_off_takes_no_more(desk: Desk) -> None:
    """As any draft: 403, and a repeat of one that joined answers as before."""
    first = say(desk, "One").action
    say(desk, "Two", key="k")
    policy(desk, "reply", mode="off")
    with pytest.raises(KindOff):
        say(desk, "Three")
    repeated = say(desk, "Two", key="k")
    assert (repeated.action.id, repeated.created) == (first.id, False)
    assert sends(desk.db, first.id) == "One\n\nTwo"


def test_a_policy_changed_by_another_process_decides(desk: Desk) -> None:
    """DESIGN, `revision`: a join decided by an old table is decided again."""
    say(desk, "One")
    policy(Desk(desk.db, desk.settings), "reply", window_seconds="77")
    assert say(desk, "Two").action.window == 77 * SECOND


def test_the_key_of_a_joined_draft_is_remembered(desk: Desk) -> None:
    """CONTRACT: its key remembered; promise 9."""
    first = say(desk, "One", key="a").action
    say(desk, "Two", key="b")
    events = count_events(desk.db)
    for text, key in (("One", "a"), ("Two", "b")):
        repeated = say(desk, text, key=key)
        assert (repeated.action.id, repeated.created) == (first.id, False)
    for text, key in (("Else", "a"), ("Else", "b")):
        for merge_key in ("m", None, "n"):
            with pytest.raises(KeyReused):
                say(desk, text, key=key, merge_key=merge_key)
    with pytest.raises(KeyReused):
        drafted(desk, key="b")
    with pytest.raises(KeyReused):
        drafted(desk, "exchange", key="b")
    assert count_events(desk.db) == events
    assert sends(desk.db, first.id) == "One\n\nTwo"
    cancel.cancel(desk, first.id, ANA)
    assert say(desk, "Two", key="b").action.state is State.CANCELLED
    assert say(desk, "Two", key="b", agent=OTHER).created, "keys are per agent"


def test_the_same_key_from_twenty_at_once_is_joined_once(desk: Desk) -> None:
    """Promise 9: an agent's retries, with real threads; its text stands there once."""
    first = say(desk, "One").action
    results = together([lambda: say(desk, "Two", key="k")] * 20)
    assert {result.action.id for result in results} == {first.id}
    assert sends(desk.db, first.id) == "One\n\nTwo"
    assert verbs(desk.db, first.id) == ["drafted", "merged"]


def test_the_same_new_key_from_twenty_at_once_is_one_draft(desk: Desk) -> None:
    """As above where there is nothing to join yet: it does not join itself."""
    results = together([lambda: say(desk, "One", key="k")] * 20)
    assert sum(result.created for result in results) == 1
    (only,) = every(desk.db)
    assert (only.merges, sends(desk.db, only.id)) == (0, "One")


def test_twenty_at_once_are_seven_messages(desk: Desk) -> None:
    """One scope takes turns: three drafts each, every text once, at a time by its place."""
    texts = [f"text {number}" for number in range(20)]
    together([lambda text=text: say(desk, text, key=text) for text in texts])  # type: ignore[misc]
    rows = every(desk.db)
    assert sorted(found.merges for found in rows) == [1, *[2] * 6]
    said = [text for found in rows for text in sends(desk.db, found.id).split("\n\n")]
    assert sorted(said) == sorted(texts)


def test_a_cancel_at_the_same_moment_leaves_nothing_half_joined(desk: Desk) -> None:
    """CASES freescout-help-desk/freescout#3300: what was cancelled takes nothing more in."""
    for trial in range(15):
        first = say(desk, "One", merge_key=f"m-{trial}").action.id

        def join(trial: int = trial) -> Any:
            return say(desk, "Two", merge_key=f"m-{trial}")

        joined = together([join, lambda first=first: cancel.cancel(desk, first, ANA)])[0]  # type: ignore[misc]
        both = "One" if joined.created else "One\n\nTwo"
        assert (state(desk, first), sends(desk.db, first)) == ("cancelled", both)
        assert verbs(desk.db, first)[-1] == "cancelled"
        if joined.created:
            assert sends(desk.db, joined.action.id) == "Two"


def test_what_each_draft_said_is_kept(desk: Desk) -> None:
    """Promise 15: and apart from the events, which are for ever."""
    first = say(desk, "One", summary="Say one", key="a").action
    say(desk, "Two", summary="Say two", order="o-2", reason="He asked", key="b")
    say(desk, "Three", summary="Say three")
    with desk.db.read() as tx:
        kept = tx.conn.execute(select(part).order_by(part.c.number)).all()
    assert {one.action for one in kept} == {first.id}
    assert [(one.number, one.summary, one.order_ref, one.draft_key) for one in kept] == [
        (1, "Say one", None, None),
        (2, "Say two", "o-2", "b"),
        (3, "Say three", None, None),
    ]
    told = " ".join(str(dict(event.data)) for event in read.timeline(desk, first.id, ANA))
    assert "Two" not in told
    assert "He asked" not in told


def test_again_repeats_the_whole_and_is_not_joined(desk: Desk) -> None:
    """A new, linked action is its own: its text was decided on by a person."""
    first = say(desk, "One").action
    say(desk, "Two")
    cancel.cancel(desk, first.id, ANA)
    repeat = again.again(desk, first.id, ANA).action
    assert sends(desk.db, repeat.id) == "One\n\nTwo"
    assert say(desk, "Three").created


@pytest.mark.parametrize("kind", ["refund", "label", "exchange"])
def test_other_kinds_refuse_a_merge_key(desk: Desk, kind: str) -> None:
    """DESIGN: replies and webhooks only: amounts are never added up by themselves."""
    with pytest.raises(Invalid) as refusal:
        drafted(desk, kind, merge_key="m")
    assert [error.pointer for error in refusal.value.errors] == ["/merge_key"]
    with desk.db.read() as tx:
        assert tx.conn.scalar(select(func.count()).select_from(action)) == 0


def person(desk: Desk) -> int:
    """Somebody who looks."""

    def work(tx: Any) -> int:
        if (found := people.by_email(tx, "eve@example.com")) is None:
            people.add(tx, email="eve@example.com", name="Eve", role="staff", password_hash="x")
            found = people.by_email(tx, "eve@example.com")
        assert found
        return int(found[0].id)

    return desk.db.transact(work)
