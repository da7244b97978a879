"""An action's whole story: what is known of it, what it sends, and each thing that happened."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup, escape

from webapp.domain.action import Action
from webapp.domain.ids import idempotency_key
from webapp.domain.states import RAN_OUT, State
from webapp.domain.times import SECOND, from_rfc3339
from webapp.store.dependants import Dependant
from webapp.store.events import Event
from webapp.store.merging import Part
from webapp.web.moments import Zone, amount, span
from webapp.web.risk_marks import in_words
from webapp.web.rows import Row
from webapp.web.visible import visible

_WORDS = {
    "drafted": "drafted by {actor}",
    "approved": "approved by {actor}",
    "rejected": "rejected by {actor}",
    "expired": "rejected by itself",
    "held": "held by {actor}",
    "held_with_parent": "held by {actor}: what it depends on has failed",
    "signalled": "{actor} reported a change",
    "objected": "{actor} said that it isn't right",
    "link_renewed": "customer's link taken back by {actor}, who made a new one",
    "released": "released by {actor}",
    "extended": "given {seconds} s more by {actor}",
    "run_now": "sent ahead by {actor}",
    "merged": "joined by a draft of {actor}: {drafts} in one now, its window began again",
    "resumed": "given time to look after the pause that {actor} ended",
    "cancelled": "cancelled by {actor}",
    "cancelled_with_parent": "cancelled with what it depends on",
    "cancel_too_late": "cancel by {actor} came too late",
    "claimed": "claimed by {actor}, attempt {attempt}",
    "taken_over": "taken over by {actor}, attempt {attempt}: its worker had gone silent",
    "in_doubt": "attempt {attempt} in doubt: the sweep finds out",
    "retried": "attempt {attempt} had no effect: it is tried again",
    "executed": "executed",
    "failed": "failed, without an effect",
    "unknown": "outcome unknown",
    "resolved": "settled by {actor}: {outcome}",
    "compensated": "taken back",
    "settled": "settled at the provider",
    "late_result": "attempt {attempt} reported late, {outcome}: not applied",
}
"""By the event's verb; what is not here is said by its own name."""
_WHY = {
    "window": "Why a window",
    "approval": "Why approval",
    "shadow": "Why approval, in shadow",
    "immediate": "Why at once",
}
_OUTCOMES = {"scheduled": "no effect", "executing": "in doubt"}
"""What an attempt reported, where that is not the state's own name."""
_QUOTED = ("reason", "error", "evidence")
_CALLS = frozenset({"webhook", "webhook.undo"})
"""Kinds whose body goes out as JSON."""
_ADDRESS = ("name", "street1", "street2", "city", "state", "zip", "country", "phone", "email")
_UNSIGNED = "goes out unsigned: UNDO_DESK_WEBHOOK_SECRET is not set"
_UNSAID = {"attempt": "", "seconds": "", "outcome": "", "drafts": ""}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened. `at` in UTC microseconds."""

    at: int
    words: str
    said: str | None = None
    opens_day: bool = False
    """The first below its heading, in the desk's zone; zones.js says it for the reader's."""


@dataclass(frozen=True, slots=True)
class Said:
    """One of several drafts that were joined, and its body as text."""

    part: Part
    body: str


@dataclass(frozen=True, slots=True)
class Story:
    """What the page shows beside the row."""

    row: Row
    events: Sequence[Event]
    signs: bool
    """Whether the desk has a secret to sign webhooks with."""
    stopped: Sequence[Dependant] = ()
    """All that its cancel would stop too, nearest first."""

    @property
    def action(self) -> Action:
        return self.row.action

    def name(self, actor: str | None) -> str:
        return self.row.around.name(actor or "")

    @property
    def lines(self) -> list[Line]:
        """Oldest first; the first view among them."""
        told = [self._line(event) for event in self.events]
        seen = self.action.first_viewed_at
        if seen is not None:
            after = span(seen - self.action.drafted_at)
            told.append(Line(seen, f"first seen by a person, {after} after the draft"))
        told.sort(key=lambda line: line.at)
        days = [self.row.zone.heading(line.at) for line in told]
        before = [None, *days]
        return [
            replace(line, opens_day=day != last)
            for line, day, last in zip(told, days, before, strict=False)
        ]

    @property
    def facts(self) -> list[tuple[str, Markup]]:
        """Terms and what holds for them."""
        return [*self._people(), *self._times(), *self._ending()]

    @property
    def why_title(self) -> str:
        mode = str(self.action.decision.get("mode"))
        return _WHY.get(mode, f"Why {mode}")

    @property
    def why(self) -> list[str]:
        """The policy's reasons, as they were written when it decided."""
        return [in_words(str(reason)) for reason in self.action.decision.get("because", ())]

    @property
    def letter(self) -> str | None:
        """The text that goes out, where the payload has one."""
        body = self.action.payload.get("body")
        return body if isinstance(body, str) and not self._calls else None

    @property
    def bodies(self) -> list[tuple[str, str]]:
        """What calls to other systems send, as JSON: `"1"` and `1` are two things."""
        if not self._calls or self.action.pruned:
            return []
        payload = self.action.payload
        found = [("Body", payload.get("body"))]
        if payload.get("undo"):
            found.append(("Body of the undo", payload["undo"].get("body")))
        return [(term, "" if body is None else _json(body)) for term, body in found]

    @property
    def parts(self) -> list[Said]:
        """What each of the joined drafts said, in order of arrival."""
        if self.action.pruned:
            return []
        found = self.row.around.parts.get(self.action.id, ())
        bodies = [part.payload.get("body") for part in found]
        text = [_json(body) if self._calls else str(body) for body in bodies]
        return [Said(*one) for one in zip(found, text, strict=True)]

    @property
    def payload(self) -> list[tuple[str, str]]:
        """The payload's other fields, each by its path."""
        if self.action.pruned:
            return []
        rest = dict(self.action.payload)
        if self._calls or self.letter is not None:
            rest.pop("body", None)
        if self._calls and rest.get("undo"):
            rest["undo"] = {"method": "POST", "url": rest["undo"]["url"]}
        if self.action.kind == "label":
            rest |= _label(rest)
        signature = [("signature", "signed" if self.signs else _UNSIGNED)] if self._calls else []
        return [*flat(rest), *signature]

    @property
    def _calls(self) -> bool:
        return self.action.kind in _CALLS

    @property
    def effect(self) -> list[tuple[str, str]]:
        return list(flat(self.action.effect or {}))

    @property
    def error(self) -> list[tuple[str, str]]:
        return list(flat(self.action.error or {}))

    @property
    def late(self) -> list[tuple[str, Markup]]:
        """What attempts reported after somebody else had taken them over."""
        return [
            (
                f"Attempt {late.attempt}",
                Markup("{}{} at {}, by {}").format(
                    _OUTCOMES.get(late.outcome, late.outcome),
                    f" ({late.provider_id})" if late.provider_id else "",
                    self.row.zone.marked(late.at, "exact"),
                    visible(self.name(late.worker)),
                ),
            )
            for late in self.row.around.late.get(self.action.id, ())
        ]

    @property
    def links(self) -> list[tuple[str, list[Action]]]:
        """Other actions, by what they are to this one."""
        action, known = self.action, self.row.around.actions
        one = [("Takes back", action.compensates), ("Repeats", action.again_of)]
        found = [(term, [known[other]]) for term, other in one if other and other in known]
        many = [("Waits for", action.depends_on), ("Taken back by", action.compensated_by)]
        return found + [
            (term, [known[other] for other in others if other in known])
            for term, others in many
            if others
        ]

    @property
    def key(self) -> str:
        return idempotency_key(self.action.id)

    def _people(self) -> Iterator[tuple[str, Markup]]:
        if self.action.pruned:
            yield "Customer", escape("Removed")
        else:
            yield from self._customer()
        yield "Drafted by", visible(self.name(self.action.drafted_by))

    def _customer(self) -> Iterator[tuple[str, Markup]]:
        customer = self.action.customer
        name, ref = customer.get("name"), customer["ref"]
        yield (
            "Customer",
            Markup("{} ({})").format(visible(name), visible(ref)) if name else (visible(ref)),
        )
        for term, field in (("E-mail", "email"), ("Language", "locale"), ("Zone", "timezone")):
            if customer.get(field):
                yield term, visible(customer[field])
        if self.action.order_ref:
            yield "Order", visible(self.action.order_ref)

    def _times(self) -> Iterator[tuple[str, Markup]]:
        action, shown = self.action, self.row.zone.marked
        yield "Drafted", shown(action.drafted_at, "stamp")
        if action.not_before_at is not None:
            yield "Not before", shown(action.not_before_at, "stamp")
        if action.cancel_by is not None and action.execute_at is not None:
            yield "Shown until", shown(action.cancel_by, "stamp")
            never = action.claimed_at is None and action.state in RAN_OUT
            yield "Would have run at" if never else "Runs at", shown(action.execute_at, "stamp")
        yield from self._counted()
        if action.window:
            yield (
                "Window",
                Markup("{} and {} margin").format(
                    span(action.window), span(action.margin) if action.margin else "no"
                ),
            )
        if action.extended:
            yield "Extended", Markup("{} s").format(action.extended // SECOND)
        if action.held_left is not None and action.state is State.HELD:
            yield "Time left", escape(span(action.held_left))
        if action.reserved_until is not None:
            yield "Stock reserved", shown(action.reserved_until, "stamp")

    def _counted(self) -> Iterator[tuple[str, Markup]]:
        """By the desk's clock, which the reader's may not be; and in shadow, what would be."""
        action, decision = self.action, self.action.decision
        if decision.get("desk_hours"):
            zone = str(decision["timezone"])
            yield "Desk hours", Markup("{}, {}").format(decision["desk_hours"], zone)
            if action.execute_at is not None:
                yield "By the desk's clock", escape(Zone(zone).stamp(action.execute_at))
        instead = (decision.get("would_have") or {}).get("execute_at")
        if instead:
            shown = self.row.zone.marked(from_rfc3339(instead), "stamp")
            yield "A window would run it", shown

    def _ending(self) -> Iterator[tuple[str, Markup]]:
        action, shown = self.action, self.row.zone.marked
        if action.claimed_at is not None:
            yield "Claimed", shown(action.claimed_at, "exact")
            if action.execute_at is not None and action.claimed_at >= action.execute_at:
                yield "Late by", escape(span(action.claimed_at - action.execute_at))
        if action.attempt:
            yield "Attempts", escape(action.attempt)
        if action.finished_at is not None:
            yield "Ended", shown(action.finished_at, "stamp")
        way_back = action.of.way_back
        if way_back is not None and not action.pruned:
            there = way_back.available(action.payload)
            yield "If too late", escape(way_back.explain if there else "There is no way back.")

    def _line(self, event: Event) -> Line:
        data: dict[str, Any] = {**_UNSAID, **event.data}
        data["outcome"] = str(data["outcome"]).replace("_", " ")
        data["outcome"] = _OUTCOMES.get(data["outcome"], data["outcome"])
        data["actor"] = self.name(event.actor)
        words = _WORDS.get(event.verb, event.verb.replace("_", " ")).format_map(data)
        if event.verb == "drafted":
            words += f", {event.to_state.label.lower()}"
        if data.get("dropped"):
            words += ", without what it depended on and had failed"
        said = next((str(data[one]) for one in _QUOTED if data.get(one)), None)
        return Line(event.at, words, said)


def flat(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """`{"to": {"city": "Pune"}}` -> `to city: Pune`"""
    for name, inner in value.items():
        here = f"{path} {name}".strip().replace("_", " ")
        if isinstance(inner, Mapping) and inner.keys() == {"value", "currency"}:
            yield here, amount(inner["value"], inner["currency"])
        elif isinstance(inner, Mapping):
            yield from flat(inner, here)
        elif isinstance(inner, list) and all(isinstance(one, str) for one in inner):
            yield here, ", ".join(inner)
        elif isinstance(inner, list | bool):
            yield here, _json(inner)
        elif inner is not None:
            yield here, str(inner)


def _label(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Each address as one line, and measures with their units: `parcel weight: 500 g`."""
    lines = {
        end: ", ".join(str(payload[end][part]) for part in _ADDRESS if payload[end].get(part))
        for end in ("from", "to")
    }
    measured = {
        tuple(name.rsplit("_", 1)): value
        for name, value in payload["parcel"].items()
        if value is not None
    }
    parcel = {name: f"{value} {unit}" for (name, unit), value in measured.items()}
    return lines | {"parcel": parcel}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
