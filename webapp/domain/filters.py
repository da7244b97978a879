"""What a list of actions is narrowed to, as a page's address says it.

`/?kind=refund&kind=label&currency=INR&min=500` means refunds and labels of 500 rupees or more.
Whatever is not named does not narrow. The rows that a filter means: `store/filtering.py`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from pydantic import TypeAdapter, ValidationError

from webapp.domain.currencies import EXPONENTS
from webapp.domain.errors import FieldError, Invalid
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.domain.text import Reference

Args = Mapping[str, Sequence[str]]
"""A query as it was sent: each name with all its values."""

DUE_AT_MOST = 604_800
"""Seconds; no window is longer."""
_AMOUNT = re.compile(r"(\d{1,13}|\d{1,3}(?:,\d{2,3}){1,5})(?:\.(\d{1,3}))?", re.ASCII)
_WHOLE = re.compile(r"\d{1,6}", re.ASCII)
_LINE: TypeAdapter[str] = TypeAdapter(Reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """All of it has to hold; of several kinds, or states, any one."""

    kind: tuple[str, ...] = ()
    state: tuple[State, ...] = ()
    agent: str | None = None
    customer: str | None = None
    """Its reference, whole."""
    order: str | None = None
    flagged: bool = False
    """Only customers who are flagged now."""
    currency: str | None = None
    min: int | None = None
    """In minor units of `currency`, which stands beside it; so does `max`'s. Both are included."""
    max: int | None = None
    due: int | None = None
    """Scheduled, and shown as running within so many seconds, or overdue."""
    q: str | None = None
    """Words, each of which has to be there somewhere."""

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return self != EVERYTHING

    @property
    def states(self) -> frozenset[State]:
        """Those that what it leaves can be in."""
        found = frozenset(self.state or State)
        return found if self.due is None else found & {State.SCHEDULED}

    @property
    def words(self) -> tuple[str, ...]:
        """The words of `q`."""
        return tuple((self.q or "").split())

    def to_query(self) -> str:
        """The one query that says this, without a question mark; empty where nothing narrows."""
        return urlencode(list(self._pairs()))

    def _pairs(self) -> Iterator[tuple[str, str]]:
        yield from (("kind", kind) for kind in self.kind)
        yield from (("state", state.value) for state in self.state)
        for name in ("agent", "customer", "order"):
            if (value := getattr(self, name)) is not None:
                yield name, value
        if self.flagged:
            yield "flagged", "yes"
        if self.currency is not None:
            yield "currency", self.currency
            if self.min is not None:
                yield "min", typed(self.min, self.currency)
            if self.max is not None:
                yield "max", typed(self.max, self.currency)
        if self.due is not None:
            yield "due", str(self.due)
        if self.q is not None:
            yield "q", self.q


EVERYTHING = Filter()
"""The filter that leaves nothing out."""


def parse(args: Args) -> Filter:
    """The filter that a query says; names that are not a filter's are left alone.

    Raises one Invalid with everything that is wrong, field by field (`/min`, …).
    """
    return _Reader(args).filter()


def typed(minor: int, currency: str) -> str:
    """`125000, "INR"` -> `1250`; `125050` -> `1250.50`: as people type it."""
    digits = EXPONENTS[currency]
    whole, part = divmod(minor, 10**digits)
    return f"{whole}.{part:0{digits}d}" if part else str(whole)


class _Reader:
    """Reads each field once, and gathers what is wrong with them."""

    def __init__(self, args: Args) -> None:
        self._args = args
        self._wrong: list[FieldError] = []

    def filter(self) -> Filter:
        currency = self._currency()
        least, most = self._amount("min", currency), self._amount("max", currency)
        if least is not None and most is not None and least > most:
            self._refuse("max", "must not be below the smallest amount")
        found: dict[str, Any] = {
            "kind": self._some_of("kind", KINDS),
            "state": tuple(State(name) for name in self._some_of("state", list(State))),
            **{name: self._line(name) for name in ("agent", "customer", "order", "q")},
            "flagged": self._flag("flagged"),
            "currency": currency,
            "min": least,
            "max": most,
            "due": self._due(),
        }
        if self._wrong:
            first = self._wrong[0]
            raise Invalid(f"{first.pointer}: {first.detail}", tuple(self._wrong))
        return Filter(**found)

    def _refuse(self, name: str, detail: str) -> None:
        self._wrong.append(FieldError(f"/{name}", detail))

    def _all(self, name: str) -> list[str]:
        """What was given, spaces taken together; an empty field of a form says nothing."""
        given = (" ".join(value.split()) for value in self._args.get(name, ()))
        return [value for value in given if value]

    def _one(self, name: str) -> str | None:
        given = self._all(name)
        if len(given) > 1:
            self._refuse(name, "is given twice")
            return None
        return given[0] if given else None

    def _some_of(self, name: str, known: Sequence[str] | Mapping[str, Any]) -> tuple[str, ...]:
        """Those of `known` that were given, in its order."""
        given = self._all(name)
        if any(value not in known for value in given):
            self._refuse(name, f"not one of {', '.join(known)}")
        return tuple(value for value in known if value in given)

    def _flag(self, name: str) -> bool:
        value = self._one(name)
        if value not in (None, "yes"):
            self._refuse(name, "yes, or left out")
        return value == "yes"

    def _currency(self) -> str | None:
        """However it was typed: `inr` is INR."""
        value = self._one("currency")
        if value is None or value.upper() in EXPONENTS:
            return value and value.upper()
        self._refuse("currency", "not a currency code, like INR or EUR")
        return None

    def _line(self, name: str) -> str | None:
        value = self._one(name)
        if value is None:
            return None
        try:
            return _LINE.validate_python(value)
        except ValidationError as problem:
            self._refuse(name, problem.errors()[0]["msg"].removeprefix("Value error, "))
            return None

    def _amount(self, name: str, currency: str | None) -> int | None:
        value = self._one(name)
        if value is None:
            return None
        match = _AMOUNT.fullmatch(value)
        if not match:
            self._refuse(name, "an amount is needed, like 1250 or 1,250.50")
        elif currency is None:
            if not self._all("currency"):
                self._refuse(name, "choose the currency of this amount")
        elif len(match[2] or "") > EXPONENTS[currency]:
            self._refuse(name, f"{currency} has {EXPONENTS[currency] or 'no'} decimals")
        else:
            return int(Decimal(value.replace(",", "")).scaleb(EXPONENTS[currency]))
        return None

    def _due(self) -> int | None:
        value = self._one("due")
        if value is None:
            return None
        if not _WHOLE.fullmatch(value) or not 1 <= int(value) <= DUE_AT_MOST:
            self._refuse("due", f"a whole number of seconds is needed, at most {DUE_AT_MOST}")
            return None
        return int(value)
