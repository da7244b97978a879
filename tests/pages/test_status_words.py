"""The words of the status page: zones, formats, and what is overdue."""

from datetime import UTC, datetime
from typing import Any

import pytest
from markupsafe import Markup

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.status import Status, status_of
from webapp.web.languages import choose, read
from webapp.web.pages.status_words import Told, tell

NOW = int(datetime(2026, 11, 30, 8, 0, tzinfo=UTC).timestamp()) * SECOND


def at(*parts: int) -> int:
    """UTC microseconds."""
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * SECOND  # type: ignore[misc,arg-type]


def action(**changes: Any) -> Action:
    """A scheduled refund, due in 35 minutes."""
    row: dict[str, Any] = dict.fromkeys(Action.__dataclass_fields__)
    row |= {
        "id": "01a22c72-0000-7000-8000-000000000000",
        "kind": "refund",
        "state": State.SCHEDULED,
        "amount_value": 125_000,
        "amount_currency": "INR",
        "customer": {"ref": "c-1"},
        "execute_at": NOW + 35 * 60 * SECOND,
        "blockers": 0,
    }
    return Action(**row | changes)


def told(
    found: Action,
    *,
    now: int = NOW,
    zone: str = "UTC",
    paused: bool = False,
    objected: bool = False,
    language: str = "en",
) -> Told:
    status = Status(found, status_of(found), paused, objected)
    return tell(status, choose(read(), [language]), now, zone)


def plain(lines: tuple[Markup, ...]) -> str:
    return " ".join(str(line.striptags()) for line in lines)


def test_the_sentence_of_the_contract() -> None:
    customer = {"ref": "c-1", "timezone": "Asia/Kolkata", "locale": "en-IN"}
    assert plain(told(action(customer=customer)).lines) == (
        "Your refund of ₹1,250.00 is scheduled for "
        "Monday, 30 November 2026, 14:05 IST (India Standard Time). It has not been sent yet."
    )


@pytest.mark.parametrize(
    ("zone", "when", "words"),
    [
        (
            "Europe/London",
            at(2026, 10, 25, 0, 30),
            "Sunday, 25 October 2026, 01:30 BST (British Summer Time)",
        ),
        (
            "Europe/London",
            at(2026, 10, 25, 1, 30),
            "Sunday, 25 October 2026, 01:30 GMT (Greenwich Mean Time)",
        ),
        (
            "America/New_York",
            at(2026, 3, 8, 6, 59),
            "Sunday, 8 March 2026, 01:59 EST (Eastern Standard Time)",
        ),
        (
            "America/New_York",
            at(2026, 3, 8, 7, 0),
            "Sunday, 8 March 2026, 03:00 EDT (Eastern Daylight Time)",
        ),
        (
            "Pacific/Kiritimati",
            at(2026, 12, 31, 12, 0),
            "Friday, 1 January 2027, 02:00 UTC+14:00 (Line Islands Time)",
        ),
        (
            "America/St_Johns",
            at(2026, 7, 1, 0, 0),
            "Tuesday, 30 June 2026, 21:30 NDT (Newfoundland Daylight Time)",
        ),
        ("America/Sao_Paulo", at(2026, 7, 1, 0, 0), "21:00 UTC−03:00 (Brasilia Standard Time)"),
        ("UTC", at(2026, 7, 1, 0, 0), "Wednesday, 1 July 2026, 00:00 UTC."),
    ],
)
def test_times_are_the_customers_and_name_their_zone(zone: str, when: int, words: str) -> None:
    found = action(customer={"ref": "c", "timezone": zone}, execute_at=when)
    assert words in plain(told(found, now=when - SECOND).lines)


@pytest.mark.parametrize("zone", [None, "Not/AZone", "../../etc/passwd", ""])
def test_the_desks_zone_where_the_customers_is_not_known(zone: str | None) -> None:
    found = action(customer={"ref": "c", "timezone": zone})
    assert "14:05 IST (India Standard Time)" in plain(told(found, zone="Asia/Kolkata").lines)


@pytest.mark.parametrize(
    ("locale", "value", "currency", "lang", "words"),
    [
        ("de-DE", 125_000, "EUR", "de-DE", "1.250,00\xa0€"),
        ("en_IN", 12_500_000, "INR", "en-IN", "₹1,25,000.00"),
        ("ja", 1_250, "JPY", "ja", "￥1,250"),
        ("fr-CA", 1_250, "KWD", "fr-CA", "1,250\xa0KWD"),
        ("xx-YY", 1_250, "USD", "en", "$12.50"),
        ("zzz-abcdefgh", 1_250, "USD", "en", "$12.50"),
        (None, 1_250, "USD", "en", "$12.50"),
    ],
)
def test_amounts_are_in_the_customers_format(
    locale: str | None, value: int, currency: str, lang: str, words: str
) -> None:
    customer = {"ref": "c", "locale": locale}
    found = action(customer=customer, amount_value=value, amount_currency=currency)
    assert f'<bdi lang="{lang}">{words}</bdi>' in str(told(found).lines[0])


@pytest.mark.parametrize(
    ("changes", "paused", "words"),
    [
        ({"execute_at": NOW}, False, "is due and will be sent shortly. It has not been sent yet."),
        ({"execute_at": NOW - 3_600 * SECOND}, False, "is late: it was scheduled for"),
        ({"execute_at": NOW - SECOND}, True, "was scheduled for"),
        ({"execute_at": NOW - SECOND, "blockers": 1}, False, "waits until another step"),
        ({"execute_at": NOW - SECOND, "blockers": 1}, True, "waits until another step"),
    ],
)
def test_what_is_overdue_promises_nothing(
    changes: dict[str, Any], paused: bool, words: str
) -> None:
    found = told(action(**changes), paused=paused)
    assert words in plain(found.lines)
    assert "has not been sent yet" in plain(found.lines)
    assert ("shortly" in plain(found.lines)) is (words.startswith("is due"))


def test_a_zone_that_cldr_has_no_name_for_has_its_offset() -> None:
    found = action(customer={"ref": "c", "timezone": "Etc/GMT+3"})
    assert "05:35 UTC−03:00. It has" in plain(told(found).lines)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Monday, 30 November 2026, 08:35"),
        ("en-US", "Monday, November 30, 2026, 08:35"),
        ("hi", "सोमवार, 30 नवंबर 2026, 08:35"),
    ],
)
def test_dates_are_in_the_readers_language(language: str, words: str) -> None:
    assert words in plain(told(action(), language=language).lines)


def test_the_sentence_of_the_contract_in_hindi() -> None:
    customer = {"ref": "c-1", "timezone": "Asia/Kolkata", "locale": "hi-IN"}
    found = told(action(customer=customer), language="hi-IN")
    assert found.word == "समय तय है"
    assert plain(found.lines) == (
        "आपका ₹1,250.00 का रिफ़ंड सोमवार, 30 नवंबर 2026, 14:05 IST (भारतीय मानक समय) के लिए तय है। "
        "इसे अभी तक भेजा नहीं गया है।"
    )


@pytest.mark.parametrize(
    ("state", "late"),
    [
        (State.AWAITING_APPROVAL, "before anything is sent"),
        (State.HELD, "before anything is sent"),
        (State.EXECUTING, "may be too late to stop it"),
        (State.UNKNOWN, "may be too late to stop it"),
        (State.EXECUTED, "was too late to stop it"),
    ],
)
def test_what_became_of_an_objection_is_told_as_it_is(state: State, late: str) -> None:
    found = action(state=state, finished_at=NOW, execute_at=None)
    before, after = told(found), told(found, objected=True)
    assert late in plain(after.lines)
    assert after.asks is None
    assert "You told us" not in plain(before.lines)
    assert before.asks is not None
    assert ("too late" in before.asks) is (state not in (State.AWAITING_APPROVAL, State.HELD))


@pytest.mark.parametrize("state", [State.CANCELLED, State.REJECTED, State.FAILED])
def test_what_ended_without_an_effect_asks_nothing(state: State) -> None:
    assert told(action(state=state)).asks is None


def test_it_asks_more_often_when_something_is_near() -> None:
    assert told(action(execute_at=NOW + 3_600 * SECOND)).again == 10
    assert told(action(execute_at=NOW + 60 * SECOND)).again == 3
    assert told(action(state=State.HELD, execute_at=None)).again == 10
    assert told(action(state=State.EXECUTING)).again == 3
    assert told(action(state=State.CANCELLED)).again is None
