"""What one event adds to the counts behind the reports.

It depends on nothing that changes after the event, so that it is the same whenever it is counted.
Names with a number behind them are buckets (`domain/buckets.py`), those with a currency are sums
in minor units.
"""

from collections import Counter
from typing import Any, NamedTuple

from webapp.domain.buckets import bucket
from webapp.domain.policy import Mode
from webapp.domain.states import CANCELLABLE, State

ASKED = frozenset({Mode.APPROVAL.value, Mode.SHADOW.value})
"""Modes in which a person has to decide before anything runs."""


class Happened(NamedTuple):
    """An event: who did what to which action. `at` in UTC microseconds."""

    action: str
    kind: str
    verb: str
    from_state: State | None
    to_state: State
    at: int
    actor: str
    data: Any


class Known(NamedTuple):
    """What is known of the action. Times in UTC microseconds."""

    agent: str
    mode: str
    """By which it was decided; `""` where the row does not say."""
    drafted_at: int
    shown_at: int
    """Since when people could see what it says now: a further draft that joined was later."""
    amount_value: int | None
    amount_currency: str | None
    attempt: int
    execute_at: int | None
    claimable_at: int | None
    claimed_at: int | None
    finished_at: int | None
    first_viewed_at: int | None
    late_cancel_at: int | None
    cancelled_by: str | None

    def money(self) -> list[tuple[str, int]]:
        """Its amount as (currency, minor units), where it has one."""
        if self.amount_value is None or self.amount_currency is None:
            return []
        return [(self.amount_currency, self.amount_value)]


def count(one: Happened, known: Known, back: Known | None = None) -> Counter[str]:
    """What `one` adds. `back` is the way back, where the event says that it took `known` back."""
    found: Counter[str] = Counter()
    moved = one.from_state is not one.to_state
    if one.verb == "drafted":
        _drafted(found, one, known)
    elif one.verb in ("approved", "rejected", "expired"):
        found[one.verb] += 1
        found[f"wait_{one.verb}.{bucket(one.at - known.drafted_at)}"] += 1
        found["scheduled"] += one.verb == "approved"
    elif one.verb == "cancel_too_late":
        _too_late(found, one, known)
    elif one.verb == "compensated":
        _compensated(found, one, known, back or known)
    elif moved and one.to_state is State.EXECUTED:
        _executed(found, known)
    elif moved and one.to_state is State.CANCELLED:
        _cancelled(found, one, known)
    elif moved and one.to_state in (State.FAILED, State.UNKNOWN, State.HELD):
        found[one.to_state.value] += 1
    _looked_at(found, one, known)
    return +found


def _drafted(found: Counter[str], one: Happened, known: Known) -> None:
    found["drafted"] += 1
    found["asked"] += one.to_state is State.AWAITING_APPROVAL
    found["scheduled"] += one.to_state is State.SCHEDULED
    found["held"] += one.to_state is State.HELD
    _money(found, "drafted", known)


def _executed(found: Counter[str], known: Known) -> None:
    found["executed"] += 1
    _money(found, "executed", known)
    if known.claimed_at is not None and known.claimable_at is not None:
        found[f"late.{bucket(max(0, known.claimed_at - known.claimable_at))}"] += 1
    if known.mode == Mode.IMMEDIATE.value:
        found["executed_at_once"] += 1
    elif known.mode not in ASKED and not _seen(known, known.claimed_at or 0):
        found["executed_unseen"] += 1
        _money(found, "unseen", known)


def _cancelled(found: Counter[str], one: Happened, known: Known) -> None:
    found["cancelled"] += 1
    found[f"cancelled_by_{_whom(one, known)}"] += 1
    _money(found, "stopped", known)
    if one.from_state is State.SCHEDULED and one.verb == "cancelled":
        found[f"left.{bucket((known.execute_at or one.at) - one.at)}"] += 1
        if known.mode not in ASKED:
            found[f"took.{bucket(max(0, one.at - known.shown_at))}"] += 1


def _whom(one: Happened, known: Known) -> str:
    if one.verb == "cancelled_with_parent":
        return "parent"
    by = (known.cancelled_by or one.actor).partition(":")[0]
    return {"staff": "people", "agent": "agent"}.get(by, "desk")


def _too_late(found: Counter[str], one: Happened, known: Known) -> None:
    """The first on each action alone: who clicks twice is not too late twice."""
    if one.at != known.late_cancel_at:
        return
    found["too_late"] += 1
    _money(found, "too_late", known)
    found[f"late_by.{bucket(max(0, one.at - (known.claimed_at or one.at)))}"] += 1
    if known.mode not in ASKED:
        found[f"took.{bucket(max(0, one.at - known.shown_at))}"] += 1


def _compensated(found: Counter[str], one: Happened, known: Known, back: Known) -> None:
    found["compensated"] += 1
    _money(found, "back", back)
    found[f"back.{bucket(max(0, one.at - (known.finished_at or one.at)))}"] += 1


def _looked_at(found: Counter[str], one: Happened, known: Known) -> None:
    """How long until somebody first had it on screen; or that nobody had, and how long it stood.

    Counted as it leaves the people's hands: claimed for the first time, decided, or cancelled.
    """
    asked = one.from_state is State.AWAITING_APPROVAL
    claimed = one.verb == "claimed" and one.data.get("attempt") == 1
    stopped = one.from_state in CANCELLABLE and one.to_state is State.CANCELLED
    if one.from_state is one.to_state or known.mode == Mode.IMMEDIATE.value:
        return
    if not asked and (known.mode in ASKED or not (claimed or (stopped and not known.attempt))):
        return
    name = "asked_" if asked else ""
    if _seen(known, one.at):
        after = max(0, (known.first_viewed_at or 0) - known.shown_at)
        found[f"{name}view.{bucket(after)}"] += 1
    else:
        found[f"{name}no_view.{bucket(max(0, one.at - known.shown_at))}"] += 1


def _seen(known: Known, until: int) -> bool:
    return known.first_viewed_at is not None and known.first_viewed_at <= until


def _money(found: Counter[str], what: str, known: Known) -> None:
    for currency, value in known.money():
        found[f"money_{what}.{currency}"] += value
