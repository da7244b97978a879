"""What an action's page tells beside its timeline: attempts, who won, what is new, who looked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from webapp.domain.action import Action
from webapp.services import cancel
from webapp.store.events import Event
from webapp.store.views import Look
from webapp.web.moments import span
from webapp.web.pages.story import flat
from webapp.web.rows import Row
from webapp.web.visible import visible

_BEGINS = frozenset({"claimed", "taken_over"})
_ENDS = {
    "executed": "executed",
    "failed": "failed, without an effect",
    "unknown": "outcome unknown",
    "retried": "no effect: tried again",
    "in_doubt": "in doubt",
    "cancelled": "no effect: cancelled",
    "taken_over": "its worker had gone silent",
}
"""How an attempt ended, by the event that says so."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One claim. `ended` None: it is under way. Times in UTC microseconds."""

    number: int
    worker: str
    claimed_at: int
    ended_at: int | None = None
    ended: str = "under way"

    @property
    def took(self) -> str:
        return "" if self.ended_at is None else span(self.ended_at - self.claimed_at)


@dataclass(frozen=True, slots=True)
class Change:
    """A field of the payload that is not what it was; empty where there was, or is, none."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Told:
    """`base_url`: where links from elsewhere begin."""

    row: Row
    events: Sequence[Event]
    looks: Sequence[Look]
    base_url: str

    @property
    def permalink(self) -> str:
        return f"{self.base_url}/actions/{self.row.action.id}"

    @property
    def attempts(self) -> list[Attempt]:
        """Each claim and how it ended, the first first."""
        found: list[Attempt] = []
        for event in self.events:
            if found and found[-1].ended_at is None and event.verb in _ENDS:
                found[-1] = _ended(found[-1], event)
            if event.verb in _BEGINS:
                number = int(event.data.get("attempt", len(found) + 1))
                found.append(Attempt(number, event.actor, event.at))
        return found

    @property
    def receipt(self) -> list[tuple[str, Markup]]:
        """Who won, cancel or claim, and by how much; nothing where there was no cancel."""
        receipt = cancel.receipt(self.row.action)
        if receipt is None:
            return []
        shown = self.row.zone.marked
        won = "the cancel" if receipt.won_by == "cancel" else "the claim: the cancel was too late"
        found = [("Won by", escape(won))]
        if receipt.margin is not None:
            ahead = span(receipt.margin)
            overdue = receipt.won_by == "cancel" and receipt.margin < 0
            found.append(("Ahead by", escape(f"{ahead} overdue" if overdue else ahead)))
        times = [
            ("Cancel came", receipt.cancel_received_at),
            ("Claimed", receipt.claimed_at),
            ("To run at", receipt.execute_at),
        ]
        return found + [(term, shown(at, "exact")) for term, at in times if at is not None]

    @property
    def original(self) -> Action | None:
        """What this one repeats."""
        action = self.row.action
        return self.row.around.actions.get(action.again_of or "")

    @property
    def comparable(self) -> bool:
        """Both this one and what it repeats still have their payload."""
        both = (self.row.action, self.original)
        return all(one is not None and one.pruned_at is None for one in both)

    @property
    def changes(self) -> list[Change]:
        """What it sends otherwise than what it repeats."""
        action, original = self.row.action, self.original
        return [] if original is None else _changes(original.payload, action.payload)

    @property
    def left_out(self) -> list[tuple[int, list[Change]]]:
        """By the number of a draft that joined: what it said and what goes out says otherwise."""
        action = self.row.action
        parts = self.row.around.parts.get(action.id, ())
        found = [(part.number, _changes(part.payload, action.payload, "body")) for part in parts]
        return [one for one in found if one[1] and action.pruned_at is None]

    @property
    def seen(self) -> list[tuple[Markup, Markup, int]]:
        """Who had which version on screen, and since when."""
        return [
            (visible(self.name(look.actor)), self.row.zone.marked(look.at, "stamp"), look.version)
            for look in self.looks
        ]

    def name(self, actor: str) -> str:
        return self.row.around.name(actor)


def _ended(attempt: Attempt, event: Event) -> Attempt:
    words = _ENDS[event.verb]
    return Attempt(attempt.number, attempt.worker, attempt.claimed_at, event.at, words)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], *but: str) -> list[Change]:
    old = {term: text for term, text in flat(before) if term not in but}
    new = {term: text for term, text in flat(after) if term not in but}
    terms = dict.fromkeys([*old, *new])
    pairs = [(term, old.get(term, ""), new.get(term, "")) for term in terms]
    return [Change(*one) for one in pairs if one[1] != one[2]]
