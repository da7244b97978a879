"""A moment in a reader's own language and zone, the zone named."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_skeleton, get_timezone_gmt, get_timezone_name
from markupsafe import Markup

from webapp.domain.times import to_datetime, to_rfc3339


def dated(at: int, zone: ZoneInfo, locale: Locale) -> Markup:
    """`Monday, 30 November 2026, 14:05 IST (India Standard Time)`, rounded down to the minute."""
    if str(locale) == "en":  # without a country CLDR writes it as in the USA
        locale = Locale("en", "001")
    moment = to_datetime(at).astimezone(zone)
    day = format_date(moment, "full", locale=locale)
    clock = format_skeleton("Hm", moment, locale=locale)
    both = str(locale.datetime_formats["medium"]).format(clock, day)
    return Markup('<time datetime="{}" title="{}">{} {}</time>').format(
        to_rfc3339(at), zone.key, both, _named(moment, zone, locale)
    )


def _named(moment: datetime, zone: ZoneInfo, locale: Locale) -> str:
    """`IST (India Standard Time)`; its short name alone where CLDR has no other."""
    short = f"{moment:%Z}"
    if short[:1] in "+-":  # zones without a short name have only their offset
        short = _offset(f"{moment:%z}")
    name = get_timezone_name(moment, locale=locale)
    if zone.key == short or name == get_timezone_gmt(moment, locale=locale):
        return short
    return f"{short} ({name})"


def _offset(text: str) -> str:
    """`-0300` -> `UTC−03:00`"""
    return f"UTC{'−' if text[0] == '-' else '+'}{text[1:3]}:{text[3:5]}"
