"""What of an action can be found, what a filter asks for, and whether an action is that.

An index answers with what probably matches; `matches` has the last word on everything but text.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from webapp.domain.action import Action
from webapp.domain.filters import Filter
from webapp.domain.states import TERMINAL, State
from webapp.domain.times import SECOND
from webapp.domain.words import MOST, words

GAP = "="
"""Stands between two texts: no phrase reaches from one into the next."""
OPEN = "open"
"""The mark of every state that is not terminal: those change too often to be kept."""
SHORTEST_PREFIX = 2
"""Letters before a `*`; less would mean nearly everything."""
_STEPS = 16
"""Of each doubling of an amount."""
_FLAGS_NAMED = 50
"""Flagged customers whom a query names; of more it asks each action."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index keeps of one action: words in order, and marks (`kind=refund`)."""

    id: str
    words: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other, or one mark; `begins`: the last may go on."""

    words: tuple[str, ...]
    begins: bool = False


Wanted = tuple[tuple[Term, ...], ...]
"""Of each group one term at least; no group at all means everything."""


def entry(action: Action, said: Iterable[str] = ()) -> Entry:
    """All that an action can be found by; `said`: texts of the drafts that joined it.

    Of one whose personal data is gone, what it was, and the provider's id.
    """
    provider = str((action.effect or {}).get("provider_id") or "")
    texts = [provider] if action.pruned_at is not None else [*_texts(action), *said]
    found: list[str] = []
    for text in dict.fromkeys(texts):
        found += [*words(text), GAP]
        if len(found) > MOST:
            break
    return Entry(action.id, tuple(found[:MOST]), _marks(action))


def wanted(asked: Filter, flagged: Set[str]) -> Wanted:
    """What the index is asked for, which knows of no order or customer; those have their own.

    `flagged`: the customers who are flagged now.
    """
    groups: list[tuple[Term, ...]] = [(term,) for term in terms(asked)]
    groups.append(tuple(_mark("kind", kind) for kind in asked.kind))
    due = (State.SCHEDULED,) if asked.due is not None else ()
    states = dict.fromkeys(
        state.value if state in TERMINAL else OPEN for state in asked.state or due
    )
    groups.append(tuple(_mark("state", state) for state in states))
    if asked.agent is not None:
        groups.append((_mark("agent", _short(asked.agent)),))
    if asked.flagged and 0 < len(flagged) <= _FLAGS_NAMED:
        groups.append(tuple(_mark("customer", _short(ref)) for ref in sorted(flagged)))
    groups.append(tuple(_money(asked)))
    return tuple(group for group in groups if group)


def terms(asked: Filter) -> list[Term]:
    """One for each word that was typed: `o-99` is two words in a row, `meer*` what begins so."""
    found = []
    for typed in asked.words:
        inner = tuple(words(typed))
        begins = typed.endswith("*") and bool(inner) and len(inner[-1]) >= SHORTEST_PREFIX
        if inner:
            found.append(Term(inner, begins))
    return found


def says(found: Entry, asked: Filter) -> bool:
    """Whether all that was typed is there, as the index would find it."""
    return all(_has(found.words, term) for term in terms(asked))


def matches(action: Action, asked: Filter, flagged: Set[str], now: int) -> bool:
    """Whether it is what was asked for, but for the text, order and id. `now` in microseconds."""
    return (
        (not asked.kind or action.kind in asked.kind)
        and (not asked.state or action.state in asked.state)
        and asked.agent in (None, action.agent)
        and asked.customer in (None, action.customer["ref"])
        and (not asked.flagged or action.customer["ref"] in flagged)
        and _costs(action, asked)
        and _is_due(action, asked, now)
    )


def _costs(action: Action, asked: Filter) -> bool:
    if asked.currency is None:
        return True
    value = action.amount_value
    return (
        value is not None
        and action.amount_currency == asked.currency
        and (asked.min is None or value >= asked.min)
        and (asked.max is None or value <= asked.max)
    )


def _is_due(action: Action, asked: Filter, now: int) -> bool:
    if asked.due is None:
        return True
    by = action.cancel_by
    return action.state is State.SCHEDULED and by is not None and by <= now + asked.due * SECOND


def _has(there: Sequence[str], term: Term) -> bool:
    *before, last = term.words
    for at in range(len(before), len(there)):
        word = there[at]
        ends = word == last or (term.begins and word.startswith(last))
        if ends and list(there[at - len(before) : at]) == before:
            return True
    return False


def _texts(action: Action) -> Iterator[str]:
    yield action.summary
    yield action.reason
    yield from (str(value) for value in action.customer.values() if value)
    yield action.order_ref or ""
    yield action.agent
    yield from _strings(action.payload)
    yield from _strings(action.effect or {})
    yield action.cancel_reason or ""
    yield action.late_cancel_reason or ""
    yield action.state_reason or ""


def _strings(value: Any) -> Iterator[str]:
    """Every text in it, however deep; numbers are no text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _marks(action: Action) -> tuple[str, ...]:
    state = action.state.value if action.state in TERMINAL else OPEN
    found = [f"kind={action.kind}", f"state={state}", f"agent={_short(action.agent)}"]
    if action.pruned_at is None:
        found.append(f"customer={_short(str(action.customer['ref']))}")
    if action.amount_value is not None and action.amount_currency is not None:
        fine = _step(action.amount_value)
        found.append(_size(action.amount_currency, f".{fine}"))
        found.append(_size(action.amount_currency, str(fine // _STEPS)))
    return tuple(found)


def _money(asked: Filter) -> Iterator[Term]:
    """The steps from the smallest to the largest; doublings where all of one is wanted.

    The row says whether an amount in the first or last step is really between the two.
    """
    if asked.currency is None:
        return
    step, last = _step(asked.min or 1), _step(asked.max or 2**63 - 1)
    while step <= last:
        whole = step % _STEPS == 0 and step + _STEPS - 1 <= last
        yield Term((_size(asked.currency, str(step // _STEPS) if whole else f".{step}"),))
        step += _STEPS if whole else 1


def _step(value: int) -> int:
    """Which sixteenth of which doubling an amount is in: rises with it."""
    doubling = value.bit_length() - 1
    return doubling * _STEPS + (value * _STEPS >> doubling) - _STEPS


def _size(currency: str, step: str) -> str:
    return f"money={currency.lower()}{step}"


def _mark(name: str, value: str) -> Term:
    return Term((f"{name}={value}",))


def _short(value: str) -> str:
    """Anybody's text as a mark: of letters and digits alone."""
    return hashlib.blake2b(value.encode(), digest_size=8).hexdigest()
