"""A row's buttons: each is a form post of its own address, so that it works without JavaScript."""

from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.domain.action import Action
from webapp.domain.states import RAN_OUT, State
from webapp.domain.verbs import Verb, verbs
from webapp.services.screen import Surroundings


@dataclass(frozen=True, slots=True)
class Button:
    """`spoken` is what a screen reader says, where the words alone don't say what is meant."""

    verb: Verb
    words: str
    href: str
    spoken: str | None = None
    compensation: str | None = None
    asks: str = ""
    """It needs the row's text field (a reason, a note, or the text that goes out): how it is called
    once that is open."""
    light: bool = False
    """On the feed it is left to the script to say where it posts: of scheduled rows there are
    hundreds, and a page of 200 has to stay below 200 KB. Without scripts it stands on the
    action's page."""


@dataclass(frozen=True, slots=True)
class Field:
    """The one text field of a row, and what it is for."""

    label: str
    hint: str = ""


_WORDS = {
    Verb.APPROVE: "Approve",
    Verb.REJECT: "Reject…",
    Verb.RUN_NOW: "Run now",
    Verb.EXTEND: "+1 min",
    Verb.HOLD: "Hold",
    Verb.RELEASE: "Release",
    Verb.CANCEL: "Cancel",
    Verb.AGAIN: "Schedule again",
}
_SPOKEN = {
    Verb.APPROVE: "Approve {}",
    Verb.REJECT: "Reject {}",
    Verb.CANCEL: "Cancel {}",
}
_ENDS = frozenset({Verb.REJECT, Verb.CANCEL})
"""They take along what depends on it."""
_LIGHT = frozenset({Verb.RUN_NOW, Verb.EXTEND, Verb.HOLD})
_ASKING = {Verb.REJECT: "Reject"}
_OUTCOMES = {"happened": "It happened…", "did_not_happen": "It did not happen…"}


def buttons(action: Action, around: Surroundings, what: str, also_stops: str = "") -> list[Button]:
    """By the state, in the order of `domain.verbs`.

    `what` names the action to listeners, `also_stops` what ends with it.
    """
    found: list[Button] = []
    for verb in () if action.pruned else verbs(action.state):
        if verb is Verb.COMPENSATE:
            found += _way_back(action, around, what)
        elif verb is Verb.RESOLVE:
            found += [
                Button(verb, words, _href(action, verb, outcome=outcome), asks=words.rstrip("…"))
                for outcome, words in _OUTCOMES.items()
            ]
        elif verb is not Verb.AGAIN or can_be_repeated(action, around):
            spoken = _SPOKEN[verb].format(what) if verb in _SPOKEN else None
            if spoken and also_stops and verb in _ENDS:
                spoken += f", which {also_stops}"
            asks, light = _ASKING.get(verb, ""), verb in _LIGHT
            found.append(
                Button(verb, _WORDS[verb], _href(action, verb), spoken, asks=asks, light=light)
            )
    return found


def field(found: list[Button]) -> Field | None:
    """What the asking buttons of a row ask for."""
    asking = next((button.verb for button in found if button.asks), None)
    if asking is Verb.REJECT:
        return Field("Why it is rejected", "The agent reads it.")
    if asking is Verb.RESOLVE:
        return Field("How you know", "For example what the provider's own page says.")
    if asking is Verb.COMPENSATE:
        return Field("What the customer should read", "It goes out as a mail in the same thread.")
    return None


def repair(action: Action, around: Surroundings) -> Action | None:
    """The compensation that lives or was executed."""
    found = (around.actions.get(one) for one in action.compensated_by)
    return next((one for one in found if one and one.state not in RAN_OUT), None)


def again_of(action: Action, around: Surroundings) -> str | None:
    """The id of the action that repeats this one and has not ended without an effect."""
    repeats = around.around.again.get(action.id, ())
    return next((one.id for one in repeats if one.state not in RAN_OUT), None)


def can_be_repeated(action: Action, around: Surroundings) -> bool:
    """Nobody repeats it yet, and it would not run alone what was to run after something else."""
    return again_of(action, around) is None and not alone(action, around)


def alone(action: Action, around: Surroundings) -> list[Action]:
    """What it was to run after and has not been executed: repeated, it would run without."""
    parents = (around.actions.get(one) for one in action.depends_on)
    return [one for one in parents if one and one.state is not State.EXECUTED]


def can_be_repaired(action: Action, around: Surroundings) -> bool:
    """There is a way back, and nobody has taken it."""
    way_back = action.of.way_back
    return (
        way_back is not None
        and not action.pruned
        and way_back.available(action.payload)
        and repair(action, around) is None
    )


def _way_back(action: Action, around: Surroundings, what: str) -> list[Button]:
    way_back = action.of.way_back
    if way_back is None or not can_be_repaired(action, around):
        return []
    words = f"{way_back.label}…" if way_back.needs_note else way_back.label
    asks = way_back.label.replace(" a ", " the ", 1) if way_back.needs_note else ""
    href = _href(action, Verb.COMPENSATE, name=way_back.name)
    spoken = f"{way_back.label}: {what}"
    return [Button(Verb.COMPENSATE, words, href, spoken, way_back.name, asks)]


def _href(action: Action, verb: Verb, **more: str) -> str:
    return f"/actions/{action.id}/{verb}?{urlencode({'version': str(action.version), **more})}"
