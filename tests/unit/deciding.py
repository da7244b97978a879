"""Policies and drafts of every sort, and which decision is the stricter one."""

from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from tests.unit.bodies import PAYLOADS
from webapp.domain.decision import Decision
from webapp.domain.hours import DeskHours, Shift
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.policy import Mode, Policy
from webapp.domain.rates import Burst, Spend
from webapp.domain.rules import Facts, Past
from webapp.domain.states import State
from webapp.domain.times import SECOND

NOW = 1_700_000_000 * SECOND
CURRENCIES = ["INR", "JPY", "USD"]
_BY_CURRENCY = st.dictionaries(st.sampled_from(CURRENCIES), st.integers(0, 2_000), min_size=1)
LIMITS = st.none() | _BY_CURRENCY
ON = [Mode.APPROVAL, Mode.SHADOW, Mode.WINDOW, Mode.IMMEDIATE]
ZONES = ["UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]


@st.composite
def shifts(draw: st.DrawFn) -> Shift:
    opens = draw(st.integers(0, 1_380))
    closes = draw(st.integers(opens + 60, 1_440))
    return Shift(draw(st.integers(0, 6)), draw(st.integers(0, 6)), opens, closes)


HOURS = st.lists(shifts(), min_size=1, max_size=3).map(lambda some: DeskHours(tuple(some)))


@st.composite
def policies(draw: st.DrawFn, modes: list[Mode] = ON, *, hours: bool = True) -> Policy:
    desk_hours = draw(st.none() | HOURS) if hours else None
    most = 604_800 if desk_hours is None else min(604_800, desk_hours.minutes_a_week * 60)
    window = draw(st.integers(0, most))
    return Policy(
        mode=draw(st.sampled_from(modes)),
        window_seconds=window,
        margin_seconds=draw(st.integers(0, 60)),
        approved_window_seconds=draw(st.integers(0, 3_600)),
        approval_above=draw(LIMITS),
        long_window_above=draw(LIMITS),
        long_window_seconds=draw(st.integers(window, most)),
        flagged=draw(st.sampled_from(["approval", "long_window", "same"])),
        first_of_kind=draw(st.sampled_from(["approval", "same"])),
        likely_duplicate=draw(st.sampled_from(["approval", "long_window", "same"])),
        desk_hours=desk_hours,
        burst=draw(st.none() | st.builds(Burst, st.integers(1, 5), st.integers(1, 600))),
        spend=draw(st.none() | st.builds(Spend, _BY_CURRENCY, st.integers(1, 600))),
        allow_no_undo=draw(st.booleans()),
    )


PASTS = st.builds(
    Past,
    first_for_customer=st.booleans(),
    first_by_agent=st.booleans(),
    duplicate=st.booleans(),
    drafted=st.none() | st.integers(0, 6),
    spent=st.none() | st.integers(0, 2_000),
)


@st.composite
def drafts(draw: st.DrawFn) -> Facts:
    name = draw(st.sampled_from(DRAFTED))
    payload: dict[str, Any] = dict(PAYLOADS[name])
    amount = {"value": draw(st.integers(1, 3_000)), "currency": draw(st.sampled_from(CURRENCIES))}
    if name == "refund":
        payload["amount"] = amount
    if name == "exchange" and draw(st.booleans()):
        payload["charge"] = amount
    if name == "webhook" and draw(st.booleans()):
        del payload["undo"]
    not_before = draw(st.none() | st.integers(NOW - 10**12, NOW + 10**12))
    zone = ZoneInfo(draw(st.sampled_from(ZONES)))
    flagged, past = draw(st.booleans()), draw(PASTS)
    return Facts(KINDS[name], payload, NOW, flagged, not_before, past, zone)


def changed(facts: Facts, **changes: Any) -> Facts:
    values = {name: getattr(facts, name) for name in Facts.__slots__}
    return Facts(**(values | changes))


def strictness(decision: Decision) -> tuple[int, int]:
    """Approval before a hold before a window, the longer before the shorter, immediate last."""
    if decision.state is State.AWAITING_APPROVAL:
        return (3, 0)
    if decision.state is State.HELD:
        return (2, 0)
    return (int(decision.mode is Mode.WINDOW), decision.window)
