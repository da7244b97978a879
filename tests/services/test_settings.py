"""The policy table, flags and pauses: one validation, and clear words for what is refused."""

import pytest

from tests.services.people import ANA, drafted, policy, state, stocked
from tests.store.rows import put, row, verbs
from webapp.domain.errors import Invalid, NotFound
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.policy import Mode, Policy, default_policy
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import agents, customers, pause
from webapp.services.desk import Desk
from webapp.services.settings import change, show

BY = "staff:admin@example.com"


def refused(desk: Desk, kind: str, **values: str) -> list[str]:
    """The pointers of a refusal; nothing has changed."""
    before = show(desk)
    with pytest.raises(Invalid) as refusal:
        change(desk, kind, values, BY)
    assert show(desk) == before
    assert all(error.detail for error in refusal.value.errors)
    return [error.pointer for error in refusal.value.errors]


def test_every_kind_is_shown_with_the_keys_of_the_contract(desk: Desk) -> None:
    """CONTRACT, Policy per kind."""
    table = show(desk)
    assert set(table) == set(KINDS)
    assert all(set(row) == set(Policy.model_fields) for row in table.values())
    assert show(desk, "refund") == {"refund": table["refund"]}
    with pytest.raises(NotFound, match="refund"):
        show(desk, "parcel")


def test_what_is_set_is_shown_and_the_rest_stays(desk: Desk) -> None:
    """CONTRACT, `settings set KIND key=value`: the same words in and out."""
    policy(desk, window_seconds="90", approval_above="500000:INR,5000:USD", allow_no_undo="yes")
    policy(desk, margin_seconds="2")
    row = show(desk, "refund")["refund"]
    assert row["window_seconds"] == 90
    assert row["margin_seconds"] == 2
    assert (row["approval_above"], row["allow_no_undo"]) == ("500000:INR,5000:USD", "yes")
    policy(desk, approval_above="none")
    assert show(desk, "refund")["refund"]["approval_above"] is None


NEW = {
    "mode": "shadow",
    "first_of_kind": "approval",
    "likely_duplicate": "long_window",
    "desk_hours": "Mon-Fri 09:00-18:00, Sat 10:00-14:00",
    "burst": "20/60",
    "spend": "500000:INR,5000:USD/3600",
}


def test_rules_are_set_and_shown_in_the_same_words(desk: Desk) -> None:
    """CONTRACT, Policy per kind; and taken back."""
    usual = show(desk, "refund")["refund"]
    policy(desk, **NEW)
    row = show(desk, "refund")["refund"]
    assert {key: row[key] for key in NEW} == NEW
    assert usual["desk_hours"] == "always"
    policy(desk, mode="window", **{key: str(usual[key] or "none") for key in NEW if key != "mode"})
    assert show(desk, "refund")["refund"] == usual


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({"mode": "sometimes"}, ["/mode"]),
        ({"window_seconds": "soon"}, ["/window_seconds"]),
        ({"window_seconds": "-1", "margin_seconds": "61"}, ["/window_seconds", "/margin_seconds"]),
        ({"approval_above": "5"}, ["/approval_above"]),
        ({"allow_no_undo": "perhaps"}, ["/allow_no_undo"]),
        ({"needs_eyes": "perhaps"}, ["/needs_eyes"]),
        ({"approval_ttl_seconds": "0"}, ["/approval_ttl_seconds"]),
        ({"approval_ttl_seconds": "a day"}, ["/approval_ttl_seconds"]),
        ({"windw_seconds": "5"}, ["/windw_seconds"]),
        ({"flagged": "long_window", "long_window_seconds": "1"}, ["/long_window_seconds"]),
        ({"likely_duplicate": "long_window", "window_seconds": "901"}, ["/long_window_seconds"]),
        ({"desk_hours": "office"}, ["/desk_hours"]),
        ({"desk_hours": "Mon 09:00-09:01", "window_seconds": "604800"}, ["/desk_hours"]),
        ({"burst": "0/60", "spend": "5/60"}, ["/burst", "/spend"]),
        ({"first_of_kind": "long_window"}, ["/first_of_kind"]),
        ({"likely_duplicate": "yes"}, ["/likely_duplicate"]),
    ],
)
def test_a_bad_value_names_its_key(desk: Desk, values: dict[str, str], keys: list[str]) -> None:
    """CONTRACT, Command line: one line that says what and why."""
    assert refused(desk, "refund", **values) == keys


def test_an_unknown_kind_has_no_settings(desk: Desk) -> None:
    """CONTRACT: and the known ones are named."""
    with pytest.raises(NotFound, match="refund"):
        change(desk, "parcel", {"mode": "off"}, BY)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.repairs])
def test_a_way_back_is_not_switched_off(desk: Desk, kind: str) -> None:
    """Promise 12."""
    assert refused(desk, kind, mode="off") == ["/mode"]


@pytest.mark.parametrize(
    "values",
    [
        {"reservation_seconds": "361"},
        {"window_seconds": "1739"},
        {"long_window_seconds": "1739", "flagged": "long_window"},
        {"long_window_seconds": "1739", "long_window_above": "5:INR"},
    ],
)
def test_a_reservation_outlives_window_margin_and_lease(desk: Desk, values: dict[str, str]) -> None:
    """CONTRACT, `reservation_seconds`: for exchanges, whichever window applies."""
    assert refused(desk, "exchange", **values) == ["/reservation_seconds"]
    change(desk, "exchange", values | {"reservation_seconds": "3600"}, BY)
    change(desk, "refund", values, BY)


def test_a_longer_window_that_no_rule_uses_asks_for_nothing(desk: Desk) -> None:
    """As above: the default row of a kind must stay valid."""
    change(desk, "exchange", {"long_window_seconds": "604800"}, BY)


def test_switching_off_can_hold_what_is_scheduled(desk: Desk) -> None:
    """CONTRACT, `--hold-scheduled`."""
    stocked(desk, 5)
    ids = [drafted(desk).id for _ in range(3)]
    exchange = drafted(desk, "exchange")
    waiting = put(desk.db, State.AWAITING_APPROVAL)
    after, held = change(desk, "refund", {"mode": "off"}, BY, hold_scheduled=True)
    assert after.mode == "off"
    assert held == sorted(ids)
    assert [state(desk, one) for one in ids] == ["held"] * 3
    assert (state(desk, exchange.id), state(desk, waiting)) == ("scheduled", "awaiting_approval")
    assert verbs(desk.db, ids[0])[-1] == "held"
    _, held = change(desk, "exchange", {"mode": "off"}, BY, hold_scheduled=True)
    assert held == [exchange.id]


def test_holding_goes_with_switching_off_only(desk: Desk) -> None:
    """CONTRACT; nothing is written when it is refused."""
    made = drafted(desk)
    before = show(desk)
    with pytest.raises(Invalid) as refusal:
        change(desk, "refund", {"window_seconds": "5"}, BY, hold_scheduled=True)
    assert refusal.value.errors[0].pointer == "/hold_scheduled"
    assert show(desk) == before
    assert state(desk, made.id) == "scheduled"


def test_without_asking_what_is_scheduled_stays(desk: Desk) -> None:
    """DESIGN: switching off can hold; it does so when asked."""
    made = drafted(desk)
    assert change(desk, "refund", {"mode": "off"}, BY)[1] == []
    assert state(desk, made.id) == "scheduled"


@pytest.mark.parametrize("ref", ["", "x" * 201, "a\nb", "a\x00"])
def test_a_flag_needs_a_reference(desk: Desk, ref: str) -> None:
    """Issue 2, bad input."""
    with pytest.raises(Invalid):
        customers.flag(desk, ref, "", BY)


def test_a_flag_that_is_not_there_is_not_taken_away(desk: Desk) -> None:
    """CONTRACT, `customer flag|unflag REF`."""
    customers.flag(desk, "c-9", "chargebacks", BY)
    customers.flag(desk, "c-9", "again", BY)
    customers.unflag(desk, "c-9")
    with pytest.raises(NotFound):
        customers.unflag(desk, "c-9")


def test_a_pause_stops_and_a_resume_ends_it(desk: Desk) -> None:
    """CONTRACT, pauses."""
    one = pause.pause(desk, ANA, reason="look first")
    narrow = pause.pause(desk, ANA, reason="odd", kind="refund")
    assert (one.agent, one.kind, one.paused_by) == (None, None, ANA.actor)
    assert pause.standing(desk) == [one, narrow]
    assert pause.resume(desk, ANA) == [one]
    assert pause.standing(desk) == [narrow]
    assert pause.unpause(desk, ANA, narrow.id) == narrow
    assert pause.standing(desk) == []


@pytest.mark.parametrize("missing", [0, -1, 2**31, 2**63, 2**70])
def test_a_pause_that_is_not_there_is_not_ended(desk: Desk, missing: int) -> None:
    """Issue 2, bad input: never a 500, however large the number."""
    with pytest.raises(NotFound):
        pause.unpause(desk, ANA, missing)


def test_a_pause_says_why_and_names_what_exists(desk: Desk) -> None:
    """Issue 2, bad input."""
    agents.add(desk, "bot", "draft")
    for given, pointer in (
        ({"reason": " "}, "/reason"),
        ({"reason": "r", "kind": "parcel"}, "/kind"),
        ({"reason": "r", "agent": "nobody"}, "/agent"),
    ):
        with pytest.raises(Invalid) as refusal:
            pause.pause(desk, ANA, **given)
        assert refusal.value.errors[0].pointer == pointer
    assert pause.standing(desk) == []
    assert pause.pause(desk, ANA, reason="r", agent="bot", kind="refund").agent == "bot"


def test_defaults_let_nothing_run_by_itself(desk: Desk) -> None:
    """DESIGN: approval until an admin decides."""
    fresh = {kind: row["mode"] for kind, row in show(desk).items() if KINDS[kind].repairs}
    assert set(fresh.values()) == {"window"}
    assert {default_policy(kind).mode for kind in DRAFTED} == {Mode.APPROVAL}


def test_the_limit_of_being_overdue_holds_for_what_is_drafted_afterwards(desk: Desk) -> None:
    """CONTRACT, `max_overdue_seconds`: an hour by default."""
    before = drafted(desk)
    policy(desk, max_overdue_seconds="90")
    after = drafted(desk)
    assert row(desk.db, before.id).overdue_after == 3_600 * SECOND
    assert row(desk.db, after.id).overdue_after == 90 * SECOND
    for wrong in ("0", "604801", "long"):
        assert refused(desk, "refund", max_overdue_seconds=wrong) == ["/max_overdue_seconds"]
