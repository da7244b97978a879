"""Money is integer minor units with a currency, in and out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from webapp.domain.currencies import EXPONENTS
from webapp.domain.money import Amount, plain, thresholds, thresholds_text

LIMITS = st.dictionaries(st.sampled_from(sorted(EXPONENTS)), st.integers(0, 10**15 - 1), min_size=1)


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        (1250, "INR", "12.50 INR"),
        (5, "USD", "0.05 USD"),
        (1250, "JPY", "1250 JPY"),
        (1250, "KWD", "1.250 KWD"),
        (7, "BHD", "0.007 BHD"),
        (-1250, "EUR", "-12.50 EUR"),
    ],
)
def test_minor_units_are_those_of_the_currency(value: int, currency: str, text: str) -> None:
    """CONTRACT, Kinds: integer minor units with an ISO 4217 code."""
    assert plain(value, currency) == text


def test_currencies_are_three_letters_and_have_known_digits() -> None:
    """ISO 4217: none, two or three digits are in use."""
    assert all(re.fullmatch("[A-Z]{3}", code) for code in EXPONENTS)
    assert set(EXPONENTS.values()) == {0, 2, 3}
    assert len(EXPONENTS) > 150


@given(value=st.integers(1, 10**15), currency=st.sampled_from(sorted(EXPONENTS)))
def test_a_printed_amount_is_the_amount(value: int, currency: str) -> None:
    """CONTRACT: what people read in a decision is exactly what is sent."""
    number, code = plain(value, currency).split()
    whole, _, part = number.partition(".")
    assert code == currency
    assert len(part) == EXPONENTS[currency]
    assert int(whole + part) == value
    assert str(Amount(value=value, currency=currency)) == f"{number} {code}"


@given(limits=LIMITS)
def test_thresholds_survive_being_printed_and_read(limits: dict[str, int]) -> None:
    """CONTRACT, Policy: `VALUE:CUR[,VALUE:CUR]`."""
    assert thresholds(thresholds_text(limits)) == limits


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("500000", "VALUE:CUR"),
        ("INR:500000", "VALUE:CUR"),
        ("5000.00:INR", "VALUE:CUR"),
        ("-5:INR", "VALUE:CUR"),
        ("5:inr", "VALUE:CUR"),
        ("5:XXX", "ISO 4217"),
        ("5:INR,", "VALUE:CUR"),
        ("5:INR,6:INR", "twice"),
        ("1" * 16 + ":INR", "VALUE:CUR"),
    ],
)
def test_a_bad_threshold_is_refused_in_words(text: str, says: str) -> None:
    """CONTRACT, Command line: a refusal says what and why."""
    with pytest.raises(ValueError, match=says):
        thresholds(text)


@pytest.mark.parametrize(
    "amount",
    [
        {"value": 0, "currency": "INR"},
        {"value": -1, "currency": "INR"},
        {"value": 12.5, "currency": "INR"},
        {"value": "12", "currency": "INR"},
        {"value": True, "currency": "INR"},
        {"value": 10**16, "currency": "INR"},
        {"value": 1, "currency": "inr"},
        {"value": 1, "currency": "ZZZ"},
        {"value": 1},
        {"currency": "INR"},
        {"value": 1, "currency": "INR", "note": ""},
    ],
)
def test_an_amount_is_a_whole_number_above_zero_with_a_known_currency(amount: object) -> None:
    """CONTRACT, Kinds: above 0, unknown fields refused, nothing converted."""
    with pytest.raises(ValidationError):
        Amount.model_validate(amount)
