"""What a customer reads of an action, in plain words that never say more than is known."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from markupsafe import Markup

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.status import Status
from webapp.web.dates import dated
from webapp.web.languages import Language, message, understood
from webapp.web.moments import amount

FINAL = frozenset({"done", "cancelled", "problem"})
"""What a page that shows it need not ask for again."""

_WORDS = {
    "awaiting": message("Waiting for our team"),
    "scheduled": message("Scheduled"),
    "held": message("On hold"),
    "working": message("In progress"),
    "done": message("Done"),
    "cancelled": message("Cancelled"),
    "problem": message("There is a problem"),
}
_NOT_YET = message("It has not been sent yet.")
_NOT_SURE = message("It is not confirmed yet.")
_SEEN = message("Our team can see this.")
_LATE = 120 * SECOND
_SOON = 300 * SECOND
_NO_TIME = Markup("")


@dataclass(frozen=True, slots=True)
class Told:
    """The page's words. `again` is in how many seconds to look again, None when it is final."""

    status: str
    word: Markup
    lines: tuple[Markup, ...]
    asks: Markup | None
    """What stands above the button by which the customer objects; None: there is none."""
    as_of: Markup
    again: int | None


def tell(status: Status, language: Language, now: int, desk_zone: str) -> Told:
    """The words for one action at `now`, in the customer's zone and number format if known."""
    teller = _Teller(status, language, now, _zone(status.action, desk_zone))
    return Told(
        status.status,
        teller.word(),
        (*teller.lines(), *teller.objected()),
        teller.asks() if status.may_object else None,
        language.say("As of {when}", when=teller.time(now)),
        None if status.status in FINAL else teller.again(),
    )


class _Teller:
    def __init__(self, status: Status, language: Language, now: int, zone: ZoneInfo) -> None:
        self._status = status
        self._action = status.action
        self._language = language
        self._now = now
        self._zone = zone
        self._subject = _subject(status.action, language)

    def word(self) -> Markup:
        status = self._status.status
        if status == "cancelled" and self._action.state is State.EXECUTED:
            return self._language.say("Taken back")
        return self._language.say(_WORDS[status])

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

    def objected(self) -> tuple[Markup, ...]:
        """What became of it that the customer said that it isn't right."""
        if not self._status.objected:
            return ()
        said = self._say("You told us that this isn't right.")
        if not self._begun:
            return (_line(said, self._say("Our team sees that before anything is sent.")),)
        if self._action.state is State.EXECUTED:
            late = self._say("It was too late to stop it, but our team can see what you said.")
        else:
            late = self._say("It may be too late to stop it, but our team can see what you said.")
        return (_line(said, late),)

    def asks(self) -> Markup:
        if self._begun:
            then = self._say("It is too late to stop it, but our team will see that you told us.")
        else:
            then = self._say("Tell us, and it will not be sent before our team has looked at it.")
        return _line(self._say("Is something wrong with this?"), then)

    def again(self) -> int:
        """Seconds."""
        due = self._action.execute_at
        far = self._action.state is not State.EXECUTING and (due is None or due > self._now + _SOON)
        return 10 if far else 3

    def time(self, at: int | None) -> Markup:
        return dated(at or 0, self._zone, self._language.locale)

    @property
    def _begun(self) -> bool:
        """Whether a hold comes too late."""
        return self._status.status in ("working", "done", "problem")

    def _say(self, words: str, when: Markup = _NO_TIME) -> Markup:
        return self._language.say(words, self._action.kind, subject=self._subject, when=when)

    def _awaiting(self) -> tuple[Markup, ...]:
        waits = self._say("{subject} is waiting for somebody in our team to look at it.")
        return (_line(waits, self._say(_NOT_YET)),)

    def _scheduled(self) -> tuple[Markup, ...]:
        action, now = self._action, self._now
        due = action.execute_at or now
        when = self.time(due)
        if action.blockers:
            return self._blocked(due)
        if self._status.paused:
            return self._paused(due)
        if due > now:
            planned = self._say("{subject} is scheduled for {when}.", when)
            return (_line(planned, self._say(_NOT_YET)),)
        if due > now - _LATE:
            soon = self._say("{subject} is due and will be sent shortly.")
            return _line(soon, self._say(_NOT_YET)), self._say("It was scheduled for {when}.", when)
        late = self._say("{subject} is late: it was scheduled for {when}.", when)
        return (_line(late, self._say(_NOT_YET)),)

    def _blocked(self, due: int) -> tuple[Markup, ...]:
        waits = self._say("{subject} waits until another step has gone through.")
        after = _line(waits, self._say(_NOT_YET))
        if due <= self._now:
            return (after,)
        return after, self._say("It will not be sent before {when}.", self.time(due))

    def _paused(self, due: int) -> tuple[Markup, ...]:
        stopped = self._say("Our team has stopped sending for the moment.")
        if due <= self._now:
            was = self._say("{subject} was scheduled for {when}.", self.time(due))
            then = self._say("It goes on after that.")
        else:
            was = self._say("{subject} is scheduled for {when}.", self.time(due))
            then = self._say("It may be later than that.")
        return _line(was, self._say(_NOT_YET)), _line(stopped, then)

    def _held(self) -> tuple[Markup, ...]:
        held = self._say("{subject} is on hold until our team has looked at it.")
        return (_line(held, self._say(_NOT_YET)),)

    def _working(self) -> tuple[Markup, ...]:
        if self._action.state is State.EXECUTING:
            return (_line(self._say("{subject} is being sent right now."), self._say(_NOT_SURE)),)
        if self._action.state is State.UNKNOWN:
            sure = self._say("{subject} is in progress: we are making sure that it went through.")
            return (sure,)
        when = self.time(self._action.finished_at)
        handed = self._say("{subject} was handed over on {when} and is being processed.", when)
        return (_line(handed, self._say(_NOT_SURE)),)

    def _done(self) -> tuple[Markup, ...]:
        when = self.time(self._action.finished_at)
        return (self._say("{subject} is done. It was sent on {when}.", when),)

    def _cancelled(self) -> tuple[Markup, ...]:
        if self._action.state is State.EXECUTED:
            when = self.time(self._action.finished_at)
            return (self._say("{subject} was sent on {when} and was taken back after that.", when),)
        return (self._say("{subject} was cancelled. It was not sent."),)

    def _problem(self) -> tuple[Markup, ...]:
        if self._action.state is State.EXECUTED:
            sent = self._say("{subject} was sent, but it did not go through.")
            return sent, self._say(_SEEN)
        return self._say("{subject} could not be sent."), self._say(_SEEN)


def _subject(action: Action, language: Language) -> Markup:
    """`Your refund of ₹1,250.00`, the amount marked with the language of its format."""
    value = Markup("")
    if action.amount_value is not None and action.amount_currency is not None:
        theirs = understood(str(action.customer.get("locale") or ""))
        locale = theirs or language.locale
        value = Markup('<bdi lang="{}">{}</bdi>').format(
            str(locale).replace("_", "-"),
            amount(action.amount_value, action.amount_currency, locale),
        )
    return language.say(action.of.customer_line, amount=value)


def _line(*sentences: Markup) -> Markup:
    return Markup(" ").join(sentences)


def _zone(action: Action, desk_zone: str) -> ZoneInfo:
    """The customer's; the desk's where it is not given, or not known on this host."""
    try:
        return ZoneInfo(str(action.customer.get("timezone") or desk_zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(desk_zone)
