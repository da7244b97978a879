"""What a customer reads of an action, in plain words that never say more than is known."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError
from markupsafe import Markup, escape

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND, to_datetime, to_rfc3339
from webapp.services.status import Status
from webapp.web.moments import amount

FINAL = frozenset({"done", "cancelled", "problem"})
"""What a page that shows it need not ask for again."""

_WORDS = {
    "awaiting": "Waiting for our team",
    "scheduled": "Scheduled",
    "held": "On hold",
    "working": "In progress",
    "done": "Done",
    "cancelled": "Cancelled",
    "problem": "There is a problem",
}
_LATE = 120 * SECOND
_SOON = 300 * SECOND
_NOT_YET = "It has not been sent yet."


@dataclass(frozen=True, slots=True)
class Told:
    """The page's words. `again` is in how many seconds to look again, None when it is final."""

    status: str
    word: str
    lines: tuple[Markup, ...]
    as_of: Markup
    again: int | None


def tell(status: Status, now: int, desk_zone: str) -> Told:
    """The words for one action at `now`, in the customer's zone and number format if known."""
    teller = _Teller(status, now, _zone(status.action, desk_zone))
    word = _WORDS[status.status]
    if status.status == "cancelled" and status.action.state is State.EXECUTED:
        word = "Taken back"
    return Told(
        status.status,
        word,
        teller.lines(),
        teller.time(now),
        None if status.status in FINAL else teller.again(),
    )


class _Teller:
    def __init__(self, status: Status, now: int, zone: ZoneInfo) -> None:
        self._status = status
        self._action = status.action
        self._now = now
        self._zone = zone
        self._subject = _subject(self._action)

    def lines(self) -> tuple[Markup, ...]:
        tell = {
            "awaiting": self._awaiting,
            "scheduled": self._scheduled,
            "held": self._held,
            "working": self._working,
            "done": self._done,
            "cancelled": self._cancelled,
            "problem": self._problem,
        }[self._status.status]
        return tell()

    def again(self) -> int:
        """Seconds."""
        due = self._action.execute_at
        far = self._action.state is not State.EXECUTING and (due is None or due > self._now + _SOON)
        return 10 if far else 3

    def time(self, at: int | None) -> Markup:
        """`Mon 30 Nov 2026, 14:05 IST (Asia/Kolkata)`, rounded down to the minute."""
        moment = to_datetime(at or 0).astimezone(self._zone)
        short, key = f"{moment:%Z}", self._zone.key
        if short[:1] in "+-":
            short = _offset(f"{moment:%z}")
        named = short if short == key else f"{short} ({key})"
        words = f"{moment:%a %-d %b %Y, %H:%M} {named}"
        return Markup('<time datetime="{}">{}</time>').format(to_rfc3339(at or 0), words)

    def _say(self, words: str, *values: Markup) -> Markup:
        return escape(words).format(self._subject, *values)

    def _awaiting(self) -> tuple[Markup, ...]:
        return (self._say(f"{{}} is waiting for somebody in our team to look at it. {_NOT_YET}"),)

    def _scheduled(self) -> tuple[Markup, ...]:
        action, now = self._action, self._now
        due = action.execute_at or now
        when = self.time(due)
        if action.blockers:
            after = self._say(f"{{}} waits until another step has gone through. {_NOT_YET}")
            if due <= now:
                return (after,)
            return after, Markup("It will not be sent before {}.").format(when)
        if self._status.paused:
            stopped = "Our team has stopped sending for the moment"
            if due <= now:
                was = f"{{}} was scheduled for {{}}. {_NOT_YET}"
                return self._say(was, when), escape(f"{stopped}; it goes on after that.")
            planned = f"{{}} is scheduled for {{}}. {_NOT_YET}"
            return self._say(planned, when), escape(f"{stopped}, so it may become later.")
        if due > now:
            return (self._say(f"{{}} is scheduled for {{}}. {_NOT_YET}", when),)
        if due > now - _LATE:
            words = f"{{}} is due and will be sent shortly. {_NOT_YET}"
            return self._say(words), Markup("It was scheduled for {}.").format(when)
        return (self._say(f"{{}} is late: it was scheduled for {{}}. {_NOT_YET}", when),)

    def _held(self) -> tuple[Markup, ...]:
        return (self._say(f"{{}} is on hold until our team has looked at it. {_NOT_YET}"),)

    def _working(self) -> tuple[Markup, ...]:
        if self._action.state is State.EXECUTING:
            return (self._say("{} is being sent right now. It is not confirmed yet."),)
        if self._action.state is State.UNKNOWN:
            return (self._say("{} is in progress: we are making sure that it went through."),)
        words = "{} was handed over on {} and is being processed. It is not confirmed yet."
        return (self._say(words, self.time(self._action.finished_at)),)

    def _done(self) -> tuple[Markup, ...]:
        when = self.time(self._action.finished_at)
        return (self._say("{} is done. It was sent on {}.", when),)

    def _cancelled(self) -> tuple[Markup, ...]:
        if self._action.state is State.EXECUTED:
            when = self.time(self._action.finished_at)
            return (self._say("{} was sent on {} and was taken back after that.", when),)
        return (self._say("{} was cancelled. It was not sent."),)

    def _problem(self) -> tuple[Markup, ...]:
        seen = Markup("Our team can see this.")
        if self._action.state is State.EXECUTED:
            return self._say("{} was sent, but it did not go through."), seen
        return self._say("{} could not be sent."), seen


def _subject(action: Action) -> Markup:
    """`Your refund of ₹1,250.00`, the amount marked with the language of its format."""
    line = action.of.customer_line
    if action.amount_value is None or action.amount_currency is None:
        return escape(line.replace(" of {amount}", ""))
    locale = _locale(action)
    value = amount(action.amount_value, action.amount_currency, locale)
    marked = Markup('<bdi lang="{}">{}</bdi>').format(str(locale).replace("_", "-"), value)
    return escape(line).format(amount=marked)


def _locale(action: Action) -> Locale:
    """The customer's, as far as CLDR knows it; else English."""
    tag = str(action.customer.get("locale") or "en").replace("_", "-")
    try:
        return Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def _zone(action: Action, desk_zone: str) -> ZoneInfo:
    """The customer's; the desk's where it is not given, or not known on this host."""
    try:
        return ZoneInfo(str(action.customer.get("timezone") or desk_zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(desk_zone)


def _offset(text: str) -> str:
    """`-0300` -> `UTC−03:00`: zones without a short name have only their offset."""
    return f"UTC{'−' if text[0] == '-' else '+'}{text[1:3]}:{text[3:5]}"
