"""Time that counts only while the desk is open: holds and extensions of windows in desk hours."""

from zoneinfo import ZoneInfo

from webapp.domain.action import Action
from webapp.domain.hours import DeskHours, add_open, open_between, read_hours
from webapp.domain.states import State
from webapp.store import events
from webapp.store.engine import Tx


def left(tx: Tx, found: Action, now: int) -> int | None:
    """How long from `now` until a held action has had the open time that was left to it.

    None where its window counts by the clock alone. All in microseconds.
    """
    counted = _counted(found)
    if counted is None:
        return None
    hours, zone = counted
    span = found.window
    if found.held_left is not None:
        held_at = _held_at(tx, found)
        shown = held_at + found.held_left - found.margin
        span = open_between(held_at, shown, hours, zone)
    return add_open(now, span, hours, zone) + found.margin - now


def later(found: Action, span: int) -> int | None:
    """How long it takes from `cancel_by` on until `span` more of open time has passed."""
    counted = _counted(found)
    if counted is None or found.cancel_by is None:
        return None
    return add_open(found.cancel_by, span, *counted) - found.cancel_by


def _counted(found: Action) -> tuple[DeskHours, ZoneInfo] | None:
    """As they stood when it was decided: what people were shown is what counts."""
    text = found.decision.get("desk_hours")
    hours = read_hours(text) if text else None
    return None if hours is None else (hours, ZoneInfo(str(found.decision["timezone"])))


def _held_at(tx: Tx, found: Action) -> int:
    held = (one.at for one in events.of_action(tx, found.id) if one.to_state is State.HELD)
    return max(held, default=found.drafted_at)
