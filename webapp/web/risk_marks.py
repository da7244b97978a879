"""Why a row is marked: the rule in few words, and the sentence that says what it means."""

import re
from dataclasses import dataclass
from decimal import Decimal

from webapp.domain.action import Action
from webapp.domain.currencies import EXPONENTS
from webapp.domain.states import CANCELLABLE
from webapp.web.moments import amount

ORDINARY = (
    *("window of", "amount under", "amount up to"),
    *("immediate:", "this kind needs approval", "this kind is in shadow", "instead of:"),
)
"""How reasons begin that say nothing of a risk."""

_MONEY = re.compile(r"\b(\d+(?:\.\d+)?) ([A-Z]{3})\b")
_SENTENCES = (
    ("amount above", "Smaller amounts pass by the policy; from here on people should look."),
    ("no limit is set", "The policy names limits in other currencies, and none in this one."),
    ("flagged customer", "Somebody flagged this customer: the history says what happened before."),
    ("likely duplicate", "The same order, kind and amount were drafted within a day before it."),
    ("breaker:", "Its agent drafts more than it may: what it has scheduled is held, this too."),
    ("joined from", "Drafts that came one after the other go out as one."),
    ("attempt", "The one before had no effect; the same key is used, so it happens once at most."),
    ("again", "It repeats an action that was cancelled, rejected or has failed."),
)
_FIRST = re.compile(r"first (.+) (for this customer|by this agent)")
_OTHER = "A rule of the policy, as it stood when this was drafted."


@dataclass(frozen=True, slots=True)
class Mark:
    """`words` stand in the row, `sentence` behind them."""

    words: str
    sentence: str


def marks(action: Action) -> list[Mark]:
    """Why somebody should look: the policy's reasons, and what has happened since."""
    if action.state not in CANCELLABLE:
        return []
    said = action.state_reason or ""
    found = [
        _mark(str(reason))
        for reason in action.decision.get("because", ())
        if not reason.startswith(ORDINARY) and reason not in said
    ]
    if action.attempt:
        found.append(_mark(f"attempt {action.attempt + 1}"))
    if action.again_of:
        found.append(_mark("again"))
    return found


def in_words(reason: str) -> str:
    """`amount above 5000.00 INR` -> `amount above ₹5,000.00`"""
    return _MONEY.sub(lambda found: amount(_minor_units(found[1], found[2]), found[2]), reason)


def _mark(reason: str) -> Mark:
    first = _FIRST.fullmatch(reason)
    if first:
        return Mark(reason, f"No {first[1]} was drafted {first[2]} before.")
    sentence = next((words for start, words in _SENTENCES if reason.startswith(start)), _OTHER)
    return Mark(in_words(reason), sentence)


def _minor_units(number: str, currency: str) -> int:
    return int(Decimal(number).scaleb(EXPONENTS.get(currency, 2)))
