"""One press for several actions: each is asked for itself, by the version that was shown.

What was refused says why and stays selected; a repeat with the same key does nothing twice.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flask import current_app, request

from webapp.domain.action import Action
from webapp.domain.drafts import fingerprint
from webapp.domain.errors import (
    DependencyNotLive,
    DeskError,
    Invalid,
    NotScheduled,
    Unavailable,
    WrongState,
)
from webapp.domain.verbs import Verb
from webapp.services import screen
from webapp.web.current import caller, desk
from webapp.web.pages.action import refusal
from webapp.web.pages.outcomes import Asked, press
from webapp.web.pages.rendered import Rows
from webapp.web.row_buttons import alone

Pick = tuple[str, int | None]
"""An id, and the version that was on screen; None: whatever it is by now."""

_PICK = re.compile(r"([0-9a-f-]{36}):([0-9]{1,9})")
_WORDS = {
    "cancelled": "cancelled",
    "approved": "approved",
    "rejected": "rejected",
    "held": "held",
    "released": "released",
    "extended": "extended",
    "run_now": "to run now",
    "again": "scheduled again",
    "compensation": "on the way back",
    "already_cancelled": "cancelled before",
    "too_late": "too late",
    "changed": "changed meanwhile",
    "limit": "at their limit",
    "not_found": "not found",
    "unavailable": "not tried",
}
"""How a sum calls an outcome; any other is refused."""
_ALONE = "It was to run after another action, so it is not scheduled again alone."


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one of several. `created`: the action that it drafted."""

    id: str
    good: bool
    outcome: str
    sentence: str
    created: Action | None = None


def picks(most: int) -> list[tuple[str, int]]:
    """Ids and the versions that were shown, from the form's checkboxes. Raises Invalid."""
    found = [_PICK.fullmatch(pick) for pick in request.form.getlist("pick")]
    if len(found) > most:
        raise Invalid.field("/pick", f"at most {most} at once")
    if None in found:
        raise Invalid.field("/pick", "must be ID:VERSION")
    return list({one[1]: int(one[2]) for one in found if one}.items())


def each(
    verb: Verb,
    chosen: Sequence[Pick],
    note: str,
    key: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[Result]:
    """Press it on each, in its own transaction; once the desk can't decide, no more are tried."""
    return list(_each(verb, chosen, note, key, fields or {}))


def named(results: Iterable[Result]) -> list[tuple[Result, str]]:
    """Results, and what each is of, where it is known."""
    told = list(results)
    found, around = screen.rows(desk(), [one.id for one in told])
    render = rows()
    whats = {one: render.row(action, around, 0).what for one, action in found.items()}
    return [(one, whats.get(one.id, "")) for one in told]


def counts(results: Iterable[Result]) -> dict[str, int]:
    """How many of each outcome, the most frequent first."""
    return dict(Counter(one.outcome for one in results).most_common())


def summed(results: Sequence[Result]) -> str:
    """`31 cancelled, 4 too late`: what was done comes first."""
    done = Counter(_word(one) for one in results if one.good)
    left = Counter(_word(one) for one in results if not one.good)
    parts = [f"{number} {word}" for word, number in (*done.most_common(), *left.most_common())]
    return ", ".join(parts) or "Nothing was selected"


def rows() -> Rows:
    """What renders rows."""
    return Rows(current_app._get_current_object())  # type: ignore[attr-defined]


def _each(
    verb: Verb, chosen: Sequence[Pick], note: str, key: str | None, fields: Mapping[str, str]
) -> Iterator[Result]:
    down: Unavailable | None = None
    names = _ways_back(chosen) if verb is Verb.COMPENSATE else {}
    lonely = _alone(chosen) if verb is Verb.AGAIN else set()
    for action_id, seen in chosen:
        if down is not None:
            yield Result(action_id, False, down.code, "Not tried: the desk cannot decide now.")
            continue
        if action_id in lonely:
            yield Result(action_id, False, DependencyNotLive.code, _ALONE)
            continue
        who, own = caller(), None
        if key is not None:
            own = fingerprint(f"{who.actor}\n{key}\n{verb}\n{action_id}")
            who = replace(who, request=own)
        try:
            sent = {**fields, "name": names.get(action_id, "")}
            outcome = press(verb, desk(), who, Asked(action_id, seen, note, own, sent))
        except DeskError as refused:
            down = refused if isinstance(refused, Unavailable) else None
            yield Result(action_id, False, _code(refused), refusal(refused))
        else:
            good = outcome.tone == "good"
            yield Result(action_id, good, outcome.word, outcome.sentence, outcome.created)


def _ways_back(chosen: Sequence[Pick]) -> dict[str, str]:
    """By id: how the one way back of its kind is called."""
    found, _ = screen.rows(desk(), [action_id for action_id, _ in chosen])
    return {one.id: one.of.way_back.name for one in found.values() if one.of.way_back}


def _alone(chosen: Sequence[Pick]) -> set[str]:
    """Those that no row has a button for: repeated, they would run without what they waited for."""
    found, around = screen.rows(desk(), [action_id for action_id, _ in chosen])
    return {one.id for one in found.values() if alone(one, around)}


def _code(refused: DeskError) -> str:
    """Of one that waits a sum would say `too late`, as its code does."""
    return WrongState.code if isinstance(refused, NotScheduled) else refused.code


def _word(one: Result) -> str:
    return _WORDS.get(one.outcome, "refused")
