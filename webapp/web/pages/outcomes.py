"""What a button did, in a word for scripts and a sentence for people: the row's own verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from webapp.domain.action import Action
from webapp.domain.errors import Invalid, LimitReached
from webapp.domain.verbs import Verb
from webapp.services import read
from webapp.services.again import again
from webapp.services.caller import Caller
from webapp.services.cancel import AlreadyCancelled, Cancelled, cancel
from webapp.services.clock import extend, extension_left, hold, release, run_now
from webapp.services.compensate import compensate
from webapp.services.decide import approve, reject
from webapp.services.desk import Desk
from webapp.services.resolve import resolve
from webapp.web.current import preferences
from webapp.web.moments import span
from webapp.web.row_facts import time_left


@dataclass(frozen=True, slots=True)
class Asked:
    """A press of a button: the version that was on screen, and what came with it."""

    action_id: str
    seen: int | None
    note: str
    key: str | None
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`word` is `cancelled`, `too_late` …; `created` the action that it drafted, if any."""

    word: str
    sentence: str
    tone: str = "good"
    created: Action | None = None


def press(verb: Verb, desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    """Do it. Raises whatever the service raises."""
    return _PRESSES[verb](desk, caller, asked)


def _cancel(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    done = cancel(
        desk, asked.action_id, caller, reason=asked.note or None, key=asked.key, seen=asked.seen
    )
    if isinstance(done, Cancelled):
        ahead = f" {time_left(done.action)}".rstrip()
        more = f" {len(done.also_cancelled)} more went along." if done.also_cancelled else ""
        return Outcome("cancelled", f"Cancelled{ahead}. Nothing happened.{more}")
    if isinstance(done, AlreadyCancelled):
        return Outcome("already_cancelled", "Somebody had cancelled it already.")
    late = "" if done.receipt.margin is None else f" by {span(done.receipt.margin)}"
    if done.cancel_recorded:
        then = "Your cancel is kept: it counts if the attempt turns out to have had no effect."
    elif any(step.available for step in done.next_steps):
        then = "The way back stands in the row."
    else:
        then = "It has no way back."
    return Outcome("too_late", f"Too late{late}: it had begun. {then}", "bad")


def _approve(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    done = approve(desk, asked.action_id, caller, reason=asked.note or None, seen=asked.seen)
    return Outcome("approved", f"Approved. It runs in {span(done.window + done.margin)}.")


def _reject(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    reject(desk, asked.action_id, caller, reason=asked.note, seen=asked.seen)
    return Outcome("rejected", "Rejected. Nothing happened.")


def _hold(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    hold(desk, asked.action_id, caller, reason=asked.note or None, seen=asked.seen)
    return Outcome("held", "Held: its clock stands still until somebody releases or cancels it.")


def _release(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    release(desk, asked.action_id, caller, seen=asked.seen)
    return Outcome("released", "Released: its clock runs again.")


def _extend(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    given = asked.fields.get("seconds", str(preferences().extension_seconds))
    if not given.isascii() or not given.isdecimal():
        raise Invalid.field("/seconds", "a whole number of seconds is needed")
    seconds = int(given[:9])
    try:
        extend(desk, asked.action_id, caller, seconds=seconds, seen=asked.seen)
    except LimitReached:
        # Who needs more time than others (WCAG 2.2.1) gets what there is, not nothing.
        left = extension_left(read.get(desk, asked.action_id, caller))
        if not 1 <= left < seconds:
            raise
        seconds = left
        extend(desk, asked.action_id, caller, seconds=seconds, seen=asked.seen)
    return Outcome("extended", f"{seconds} s more.")


def _run_now(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    run_now(desk, asked.action_id, caller, seen=asked.seen)
    return Outcome("run_now", "It runs as soon as a worker is free.")


def _compensate(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    name = asked.fields.get("name", "")
    done = compensate(desk, asked.action_id, caller, name=name, note=asked.note, seen=asked.seen)
    return _drafted("compensation", done.action, new=done.created)


def _again(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    done = again(desk, asked.action_id, caller, reason=asked.note or None, seen=asked.seen)
    return _drafted("again", done.action, new=done.created)


def _resolve(desk: Desk, caller: Caller, asked: Asked) -> Outcome:
    outcome = asked.fields.get("outcome", "")
    done = resolve(desk, asked.action_id, caller, outcome=outcome, note=asked.note, seen=asked.seen)
    return Outcome("resolved", f"Settled: {done.state.label.lower()}.")


def _drafted(word: str, new_one: Action, *, new: bool) -> Outcome:
    label = new_one.of.label
    said = f"{label}: {new_one.state.label.lower()}." if new else f"{label} was there already."
    return Outcome(word, said, "good", new_one)


_PRESSES: dict[Verb, Callable[[Desk, Caller, Asked], Outcome]] = {
    Verb.CANCEL: _cancel,
    Verb.APPROVE: _approve,
    Verb.REJECT: _reject,
    Verb.HOLD: _hold,
    Verb.RELEASE: _release,
    Verb.EXTEND: _extend,
    Verb.RUN_NOW: _run_now,
    Verb.COMPENSATE: _compensate,
    Verb.AGAIN: _again,
    Verb.RESOLVE: _resolve,
}
