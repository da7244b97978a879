"""`burst` and `spend`, as they are written."""

import pytest

from webapp.domain.rates import Burst, Spend, read_burst, read_spend


@pytest.mark.parametrize(
    ("text", "found"), [("20/60", Burst(20, 60)), (" 1/604800 ", Burst(1, 604_800))]
)
def test_a_count_within_seconds(text: str, found: Burst) -> None:
    """CONTRACT, Policy: `COUNT/SECONDS`."""
    assert read_burst(text) == found
    assert read_burst(str(found)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("500000:INR/3600", Spend({"INR": 500_000}, 3_600)),
        ("5:USD,7:JPY/60", Spend({"JPY": 7, "USD": 5}, 60)),
    ],
)
def test_an_amount_within_seconds(text: str, found: Spend) -> None:
    """CONTRACT, Policy: `VALUE:CUR/SECONDS`; several currencies by commas."""
    assert read_spend(text) == found
    assert read_spend(str(found)) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("20", "is not COUNT/SECONDS"),
        ("20/60/60", "is not COUNT/SECONDS"),
        ("-1/60", "is not COUNT/SECONDS"),
        ("0/60", "at least 1"),
        ("5/0", "SECONDS must be between"),
        ("5/604801", "SECONDS must be between"),
    ],
)
def test_a_bad_burst_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_burst(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5:INR", "is not VALUE:CUR/SECONDS"),
        ("5/60", "is not VALUE:CUR"),
        ("5:XXQ/60", "not an ISO 4217 currency code"),
        ("5:INR,6:INR/60", "given twice"),
        ("5:INR/0", "SECONDS must be between"),
    ],
)
def test_a_bad_spend_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_spend(text)
