"""Amounts and times in words."""

import pytest

from webapp.domain.currencies import EXPONENTS
from webapp.web.moments import Zone, ago, amount, countdown, span

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("value", "currency", "shown"),
    [
        (425_000, "INR", "₹4,250.00"),
        (500, "JPY", "¥500"),
        (1_234_567, "KWD", "KWD\xa01,234.567"),
        (9_950, "ALL", "ALL\xa099.50"),
        (1, "USD", "$0.01"),
        (10**15, "EUR", "€10,000,000,000,000.00"),
    ],
)
def test_an_amount_has_its_currencys_own_digits(value: int, currency: str, shown: str) -> None:
    """CLDR would round the lek to whole ones; ISO 4217 has two digits, and so has the refund."""
    assert amount(value, currency) == shown


@pytest.mark.parametrize("currency", EXPONENTS)
def test_no_digit_of_an_amount_is_lost(currency: str) -> None:
    digits = "".join(one for one in amount(1_234_567, currency) if one.isdecimal())
    assert digits == "1234567"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "due"),
        (0, "due"),
        (0.2, "0:00"),
        (18.9, "0:18"),
        (18, "0:18"),
        (61, "1:01"),
        (3_600, "1:00:00"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_countdown_ends_as_due(seconds: float, shown: str) -> None:
    assert countdown(int(seconds * SECOND)) == shown


@pytest.mark.parametrize(
    ("microseconds", "shown"),
    [
        (4_230, "4.2 ms"),
        (317_000, "0.3 s"),
        (1_000_000, "1 s"),
        (18 * SECOND, "18 s"),
        (64 * SECOND, "1:04 min"),
    ],
)
def test_a_span_is_as_exact_as_it_is_short(microseconds: int, shown: str) -> None:
    assert span(microseconds) == shown


def test_a_time_names_its_zone() -> None:
    at = 1_796_000_000_114_000
    kolkata = Zone("Asia/Kolkata")
    assert kolkata.clock(at) == "06:23:20 IST"
    assert kolkata.exact(at) == "06:23:20.114 IST"
    assert kolkata.heading(at) == "30 Nov 2026, IST"
    assert kolkata.line(at) == "06:23:20.114"
    assert kolkata.stamp(at) == "30 Nov 2026, 06:23:20 IST"
    marked = kolkata.marked(at)
    assert marked == '<time datetime="2026-11-30T00:53:20.114Z" data-as="clock">06:23:20 IST</time>'


@pytest.mark.parametrize(
    ("length", "words"),
    [(0, "just now"), (0.9, "just now"), (2, "2 s ago"), (60, "1 min ago"), (7_199, "1 h ago")],
)
def test_how_long_ago_is_rounded_down(length: float, words: str) -> None:
    assert ago(int(length * SECOND)) == words
