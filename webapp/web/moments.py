"""Times, spans and amounts in words, for pages. The browser shows the same in the reader's zone."""

import re
from decimal import Decimal
from functools import cache
from zoneinfo import ZoneInfo

from babel import Locale
from babel.numbers import NumberPattern, parse_pattern
from markupsafe import Markup

from webapp.domain.currencies import EXPONENTS
from webapp.domain.times import MILLISECOND, SECOND, to_datetime, to_rfc3339

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_LOCALE = Locale("en")
_TOUCHING = re.compile(r"(?<=[A-Za-z])(?=\d)")
"""Between a code in letters and its number CLDR wants a space (alphaNextToNumber)."""


def amount(value: int, currency: str, locale: Locale = _LOCALE) -> str:
    """`425000, "INR"` -> `₹4,250.00`: CLDR's pattern with the digits of ISO 4217.

    CLDR's own digits are those of everyday use, and would round some currencies.
    """
    digits = EXPONENTS.get(currency, 2)
    units = Decimal(value).scaleb(-digits)
    pattern = _pattern(digits, locale)
    shown = pattern.apply(units, locale, currency=currency, currency_digits=False)
    return _TOUCHING.sub("\u00a0", shown)


@cache
def _pattern(digits: int, locale: Locale) -> NumberPattern:
    standard = locale.currency_formats["standard"].pattern
    pattern = parse_pattern(standard)
    pattern.frac_prec = (digits, digits)
    return pattern


def countdown(left: int) -> str:
    """Microseconds left, as a clock counts them down: `0:18`, `1:04:00`, `2 d 4 h`, `due`.

    Rounded down: it never promises more than is left.
    """
    if left <= 0:
        return "due"
    seconds = left // SECOND
    if seconds >= _DAY:
        return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"
    hours, rest = divmod(seconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def age(length: int) -> str:
    """How long something has waited: `under 1 min`, `5 min`, `2 h 5 min`, `3 d 4 h`.

    approvals.js says the same as time goes on.
    """
    minutes = length // (_MINUTE * SECOND)
    if minutes < 1:
        return "under 1 min"
    hours, rest = divmod(minutes, 60)
    if hours < 1:
        return f"{rest} min"
    return f"{hours} h {rest} min" if hours < 24 else f"{hours // 24} d {hours % 24} h"


def ago(length: int) -> str:
    """How long ago something happened: `just now`, `2 s ago`, `5 min ago`, `2 h ago`.

    ago.js says the same as time goes on.
    """
    seconds = length // SECOND
    if seconds < 1:
        return "just now"
    if seconds < _MINUTE:
        return f"{seconds} s ago"
    return f"{seconds // _MINUTE} min ago" if seconds < _HOUR else f"{seconds // _HOUR} h ago"


def span(length: int) -> str:
    """A measured span, as exact as it is short: `4 ms`, `0.3 s`, `18 s`, `1:04 min`, `2 d 4 h`."""
    length = abs(length)
    if length < 100 * MILLISECOND:
        return f"{length / MILLISECOND:.1f}".rstrip("0").rstrip(".") + " ms"
    if length < 10 * SECOND:
        return f"{length / SECOND:.1f}".removesuffix(".0") + " s"
    if length < _MINUTE * SECOND:
        return f"{length // SECOND} s"
    clock = countdown(length // SECOND * SECOND)
    return clock if "d" in clock else f"{clock} {'h' if length >= _HOUR * SECOND else 'min'}"


class Zone:
    """Times as one zone has them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._zone = ZoneInfo(name)

    def clock(self, at: int) -> str:
        """`09:41:25 IST`"""
        return f"{to_datetime(at).astimezone(self._zone):%H:%M:%S %Z}"

    def exact(self, at: int) -> str:
        """`09:41:25.114 IST`: for who was first."""
        return f"{self.line(at)} {to_datetime(at).astimezone(self._zone):%Z}"

    def line(self, at: int) -> str:
        """`09:41:25.114`: below a `heading`, which names the zone."""
        moment = to_datetime(at).astimezone(self._zone)
        return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"

    def heading(self, at: int) -> str:
        """`30 Nov 2026, IST`"""
        return f"{self.day(at)}, {to_datetime(at).astimezone(self._zone):%Z}"

    def stamp(self, at: int) -> str:
        """`30 Nov 2026, 09:41:25 IST`"""
        return f"{to_datetime(at).astimezone(self._zone):%-d %b %Y, %H:%M:%S %Z}"

    def day(self, at: int) -> str:
        """`30 Nov 2026`"""
        return f"{to_datetime(at).astimezone(self._zone):%-d %b %Y}"

    def marked(self, at: int, form: str = "clock") -> Markup:
        """A `<time>` that zones.js puts into the reader's zone; `form` names a method above."""
        text = getattr(self, form)(at)
        return Markup('<time datetime="{}" data-as="{}">{}</time>').format(
            to_rfc3339(at), form, text
        )


@cache
def zone_named(name: str) -> Zone:
    """The one of this IANA name."""
    return Zone(name)
