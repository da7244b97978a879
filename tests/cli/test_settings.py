"""`settings show` and `settings set`."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import SQLITE, Run
from webapp.config import Settings
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy
from webapp.services import read
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.draft import draft
from webapp.store.agents import Agent
from webapp.store.engine import Database

Contents = Callable[[], dict[str, list[Any]]]
DRAFT = {
    "kind": "refund",
    "summary": "Refund 12.50 INR",
    "payload": {"payment": "pay_1", "amount": {"value": 1250, "currency": "INR"}, "reason": ""},
    "customer": {"ref": "c-1"},
}


def test_the_table_is_aligned_and_names_what_differs(on: Run) -> None:
    assert on("settings", "set", "refund", "mode=window", "approval_above=500000:INR").said == (
        "refund: mode=window approval_above=500000:INR\n"
    )
    lines = on("settings", "show").said.splitlines()
    assert [line.split()[0] for line in lines] == ["kind", *KINDS]
    column = lines[0].index("mode")
    assert {line[column - 1] for line in lines} == {" "}
    assert lines[1].split() == ["refund", "window", "300", "1", "approval_above=500000:INR"]


def test_what_is_shown_of_a_kind_can_be_set_again(on: Run) -> None:
    on("settings", "set", "label", "desk_hours=Mon-Fri 09:00-18:00", "burst=20/60", "mode=shadow")
    shown = on("settings", "show", "label").said.splitlines()
    assert [line.partition("=")[0] for line in shown] == list(Policy.model_fields)
    assert on("settings", "set", "label", *shown).said
    assert on("settings", "show", "label").said.splitlines() == shown


@SQLITE
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("refund", "window_seconds=soon"), "window_seconds:"),
        (("refund", "window_seconds=604801"), "window_seconds:"),
        (("refund", "mode=window", "margin_seconds=61"), "margin_seconds:"),
        (("refund", "mode=sometimes"), "mode:"),
        (("refund", "burst=5"), "burst: '5' is not COUNT/SECONDS"),
        (("refund", "spend=5/60"), "spend: '5' is not VALUE:CUR"),
        (("refund", "desk_hours=Mon-Fri 9-18"), "desk_hours: 'Mon-Fri 9-18' is not DAYS HH:MM"),
        (("refund", "speed=9"), "speed: is not a policy key"),
        (("refund", "approval_above=5:XXX1"), "approval_above:"),
        (("refund", "approval_above=5:INR,6:INR"), "approval_above: INR is given twice"),
        (("refund.reversal", "mode=off"), "mode:"),
        (("exchange", "reservation_seconds=60"), "reservation_seconds: must exceed"),
        (("refund", "mode=window", "--hold-scheduled"), "hold_scheduled: goes with mode=off"),
        (("refunds", "mode=window"), "There is no kind 'refunds': refund, label"),
    ],
)
def test_what_cannot_be_set_is_refused_whole(
    on: Run, contents: Contents, arguments: tuple[str, ...], says: str
) -> None:
    before = contents()
    assert on("settings", "set", *arguments).refusal.startswith(says)
    assert contents() == before


@SQLITE
def test_an_unknown_kind_is_refused(on: Run) -> None:
    assert on("settings", "show", "refunds").refusal.startswith("There is no kind 'refunds'")


def test_switching_off_says_what_is_scheduled_and_can_hold_it(
    on: Run, database: Database, database_url: str
) -> None:
    desk = Desk(database, Settings(database_url=database_url))
    on("settings", "set", "refund", "mode=window")
    agent = Agent("bot", frozenset({"draft"}))
    ids = [draft(desk, agent, DRAFT, None).action.id for _ in range(2)]
    assert "still runs (2)" in on("settings", "set", "refund", "mode=off").said
    said = on("settings", "set", "refund", "mode=off", "--hold-scheduled").said
    assert said == f"refund: mode=off\nHeld: {' '.join(ids)}\n"
    assert {read.get(desk, one, Caller.command()).state for one in ids} == {"held"}
    assert on("settings", "set", "refund", "mode=off").said == "refund: mode=off\n"


def test_a_row_is_tried_on_history_and_not_saved(
    on: Run, database: Database, database_url: str
) -> None:
    desk, agent = Desk(database, Settings(database_url=database_url)), Agent("bot", frozenset())
    for _ in range(2):
        draft(desk, agent, DRAFT, None)
    before = on("settings", "show", "refund").said
    said = on("settings", "replay", "refund", "mode=window", "approval_above=1000:INR").said
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert {"Needs approval 2", "Would have needed approval 2"} <= set(lines)
    assert lines[-2:] == [
        "2 looked at. Nothing is saved.",
        "Approval, 2 times: amount above 10.00 INR",
    ]
    assert on("settings", "show", "refund").said == before


def test_a_replay_refuses_what_set_refuses(on: Run) -> None:
    for value in ("window_seconds=-1", "mode=sometimes", "windows=1"):
        tried = on("settings", "replay", "refund", value)
        assert tried.refusal == on("settings", "set", "refund", value).refusal
    assert on("settings", "replay", "nothing").refusal.startswith("There is no kind 'nothing'")
    assert "is not KEY=VALUE" in on("settings", "replay", "refund", "mode").usage
