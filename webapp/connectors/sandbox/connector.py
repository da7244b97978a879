"""`refund`, `label`, `reply`, `exchange` and their ways back, into the sandbox's ledger."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.connectors.base import SETTLED, SUBMITTED, Effect, EffectFailed, EffectRequest
from webapp.connectors.sandbox.faults import Fault, Faults
from webapp.connectors.sandbox.ledger import Entry, Ledger, LedgerBusy, Writing, canonical
from webapp.connectors.sandbox.sqlite import sqlite3
from webapp.failpoints import REPLIED, SENT, reach


@dataclass(frozen=True, slots=True)
class _Rule:
    """What the sandbox does for one kind."""

    prefix: str
    undoes: str | None = None
    """The payload field that names what is taken back."""
    noun: str = ""
    once: bool = True
    """Whether it can be taken back only once, and only when it is known here."""


RULES: Mapping[str, _Rule] = {
    "refund": _Rule("re_"),
    "label": _Rule("lbl_"),
    "reply": _Rule("msg_"),
    "exchange": _Rule("exc_"),
    "refund.reversal": _Rule("rev_", "refund", "refund"),
    "label.void": _Rule("void_", "label", "label"),
    "exchange.restock": _Rule("rst_", "exchange", "exchange"),
    # A mail server takes any mail, also the second one in a thread that it has never seen.
    "reply.correction": _Rule("cor_", "in_reply_to", "message", once=False),
}


class SandboxConnector:
    """Remembers what it was asked for. See `Fault` for what can go wrong."""

    name = "sandbox"
    dedupes = True
    can_look_up = True

    def __init__(
        self,
        ledger: Ledger,
        *,
        latency_seconds: float = 0.0,
        settle_seconds: float = 0.0,
        faults: Faults | None = None,
    ) -> None:
        """`latency_seconds`: half of it passes before the effect, half after.

        `settle_seconds`: how long an effect stays `submitted`.
        """
        self.ledger = ledger
        self._half = latency_seconds / 2
        self._settle_us = round(settle_seconds * 1e6)
        self._faults = faults or Faults()

    def send(self, request: EffectRequest) -> Effect:
        if not _pass_time(self._half, request.deadline):
            raise EffectFailed(
                "the time was over before the sandbox was called",
                permanent=False,
                may_have_happened=False,
            )
        try:
            with self.ledger.writing(request.deadline) as writing:
                fault = writing.take_planned_fault(request.kind) or self._faults.draw(
                    request.kind, request.key, request.attempt
                )
                entry = None if fault in _NO_EFFECT else self._record(writing, request)
        except LedgerBusy as error:
            raise EffectFailed(str(error), permanent=False, may_have_happened=False) from error
        reach(self.name, SENT)
        if fault is Fault.HANG:
            _pass_time(float("inf"), request.deadline)
        on_time = _pass_time(self._half, request.deadline)
        if fault is not None:
            raise _failure(fault)
        if entry is None or not on_time:
            raise _failure(Fault.HANG)
        reach(self.name, REPLIED)
        return _effect(entry)

    def look_up(self, request: EffectRequest) -> Effect | None:
        entry = self.ledger.find(request.key)
        return _effect(entry) if entry else None

    def check(self) -> str | None:
        try:
            with self.ledger.writing():
                pass
        except (OSError, LedgerBusy, sqlite3.Error) as error:
            return f"the sandbox's ledger cannot be written: {error}"
        return None

    def _record(self, writing: Writing, request: EffectRequest) -> Entry:
        known = writing.find(request.key)
        if known is not None:
            same = known.kind == request.kind
            if not same or canonical(known.payload) != canonical(request.payload):
                raise _refused(f"the key {request.key} was used with other parameters")
            return known
        rule = RULES[request.kind]
        now = time.time_ns() // 1000
        entry = Entry(
            key=request.key,
            kind=request.kind,
            payload=dict(request.payload),
            provider_id=provider_id(request.kind, request.key),
            action_id=request.action_id,
            at=now,
            settled_at=now + self._settle_us,
            reverses=_reversed(writing, rule, request.payload),
            reversed_by=None,
        )
        writing.add(entry)
        return entry


_NO_EFFECT = frozenset({Fault.DECLINE, Fault.BUSY, Fault.HANG})


def provider_id(kind: str, key: str) -> str:
    """The same for the same key, without asking: `re_…`, `lbl_…`, `msg_…`, `exc_…`."""
    return RULES[kind].prefix + hashlib.sha256(key.encode()).hexdigest()[:24]


def _reversed(writing: Writing, rule: _Rule, payload: Mapping[str, Any]) -> str | None:
    if rule.undoes is None:
        return None
    wanted = payload[rule.undoes]
    original = writing.find_provider_id(wanted)
    if not rule.once:
        return original.provider_id if original else None
    if original is None or original.kind != rule.noun:
        raise _refused(f"the sandbox knows no {rule.noun} {wanted}")
    if original.reversed_by is not None:
        raise _refused(f"{rule.noun} {wanted} was already taken back, by {original.reversed_by}")
    return original.provider_id


def _effect(entry: Entry) -> Effect:
    # What was taken back later was done all the same.
    status = SETTLED if entry.settled_at <= time.time_ns() // 1000 else SUBMITTED
    detail = {"reverses": entry.reverses} if entry.reverses else {}
    return Effect(status, entry.provider_id, {"provider": "sandbox", **detail})


def _failure(fault: Fault) -> EffectFailed:
    message, permanent, may_have_happened = {
        Fault.DECLINE: ("the sandbox declined", True, False),
        Fault.BUSY: ("the sandbox is busy, try again", False, False),
        Fault.DROP_REPLY: ("the sandbox's answer was lost", False, True),
        Fault.HANG: ("the sandbox did not answer in time", False, True),
    }[fault]
    return EffectFailed(message, permanent=permanent, may_have_happened=may_have_happened)


def _refused(message: str) -> EffectFailed:
    return EffectFailed(message, permanent=True, may_have_happened=False)


def _pass_time(seconds: float, deadline: float) -> bool:
    """Wait, but not beyond the deadline. Whether there was time."""
    left = deadline - time.monotonic()
    wait = min(seconds, left)
    if wait > 0:
        time.sleep(wait)
    return seconds < left
