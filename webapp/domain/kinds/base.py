"""What a kind is: its payload, its words, and its way back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pydantic import BaseModel

Payload = Mapping[str, Any]
"""A validated payload, as JSON values."""


@dataclass(frozen=True, slots=True)
class Done:
    """The executed action that a compensation takes back."""

    payload: Payload
    provider_id: str
    key: str


def _always(_: Payload) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class WayBack:
    """How an executed action is taken back: an action of its own, of kind `kind`."""

    name: str
    kind: str
    label: str
    """The words on the button."""
    explain: str
    """One sentence that stays true until somebody tries."""
    build: Callable[[Done, str], dict[str, Any]]
    """The compensation's payload from what was done and the note (may be empty)."""
    needs_note: bool = False
    reverses: bool = True
    """Whether the effect is gone afterwards: a correction leaves the first mail where it is."""
    available: Callable[[Payload], bool] = _always
    easy: bool = False
    """Whether it costs next to nothing and leaves nothing behind: a window gains little then."""


@dataclass(frozen=True, slots=True)
class Stock:
    """How many of which item."""

    sku: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Joining:
    """How drafts with one `merge_key` become one effect."""

    recipient: Callable[[Payload], Any]
    """Whom or what it reaches, as JSON values: drafts that differ here are never joined."""
    join: Callable[[Payload, Payload, int], dict[str, Any]]
    """One payload from that of `count` drafts so far and the next one, in order of arrival."""


@dataclass(frozen=True, slots=True)
class Example:
    """A draft to try a policy on: as much of a payload as `decide()` looks at."""

    payload: Payload
    words: str = ""
    """What sets it apart: `without an undo`."""
    priced: str = ""
    """The field that takes an amount, where it has one."""

    def with_amount(self, value: int, currency: str) -> dict[str, Any]:
        """The payload for this amount (minor units)."""
        return {**self.payload, self.priced: {"value": value, "currency": currency}}


def _no_amount(_: Payload) -> tuple[int, str] | None:
    return None


def _no_stock(_: Payload) -> Stock | None:
    return None


def _no_reason(_: Payload) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of action. A new one is a file beside this and a line in `registry`."""

    name: str
    label: str
    payload: type[BaseModel]
    target: Callable[[Payload], str]
    """What stands beside the label in a row: whom or what it touches."""
    customer_line: str
    """What the customer reads, with `{amount}` where the kind has one."""
    amount: Callable[[Payload], tuple[int, str] | None] = _no_amount
    """Minor units and currency."""
    reserves: Callable[[Payload], Stock | None] = _no_stock
    """Stock taken when drafted."""
    restocks: Callable[[Payload], Stock | None] = _no_stock
    """Stock put back when executed."""
    no_undo: Callable[[Payload], str | None] = _no_reason
    """Why this payload has no way back, where it has none."""
    joining: Joining | None = None
    """How drafts are joined, where they can be."""
    examples: tuple[Example, ...] = (Example({}),)
    """What a preview of its policy shows."""
    awaited: bool = False
    """Whether the customer waits for it: a window makes them wait longer."""
    way_back: WayBack | None = None
    repairs: str | None = None
    """The kind that this one compensates."""

    def says(self, field: str) -> bool:
        """Whether the kind has an answer of its own to `amount`, `reserves`, `no_undo` …"""
        usual = next(one.default for one in fields(self) if one.name == field)
        return getattr(self, field) is not usual


def money(payload: Payload, field: str = "amount") -> tuple[int, str] | None:
    """The amount under `field`, if there is one."""
    amount = payload.get(field)
    return (amount["value"], amount["currency"]) if amount else None
