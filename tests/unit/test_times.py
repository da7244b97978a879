"""Time is integer UTC microseconds inside and RFC 3339 at the edges; ids follow it."""

import uuid
from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.domain import ids
from webapp.domain.ids import idempotency_key, new_id
from webapp.domain.times import (
    MILLISECOND,
    from_rfc3339,
    maybe_rfc3339,
    to_datetime,
    to_rfc3339,
)

INSTANTS = st.integers(0, int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000)


@given(at=INSTANTS)
def test_a_time_survives_the_edge_to_the_millisecond(at: int) -> None:
    """CONTRACT: RFC 3339 UTC with milliseconds, rounded down: never later than it is."""
    text = to_rfc3339(at)
    assert len(text) == len("2026-11-30T09:41:25.114Z")
    assert from_rfc3339(text) == at - at % MILLISECOND


@given(at=INSTANTS)
def test_a_datetime_is_the_same_instant(at: int) -> None:
    """No float is involved: microseconds survive."""
    moment = to_datetime(at)
    assert moment.tzinfo is UTC
    assert from_rfc3339(moment.isoformat()) == at


@pytest.mark.parametrize(
    "text",
    ["2026-10-25T01:30:00+02:00", "2026-10-24T23:30:00Z", "2026-10-25T05:00:00+05:30"],
)
def test_an_offset_says_which_instant_is_meant(text: str) -> None:
    """CASES agronholm/apscheduler#1021: both half past one of the night the clocks change."""
    assert to_rfc3339(from_rfc3339(text)) == "2026-10-24T23:30:00.000Z"


@pytest.mark.parametrize(
    "text",
    [
        "", "tomorrow", "2026-11-30T09:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "1969-12-31T23:59:59Z", "9999-12-31T00:00:00Z", "0001-01-01T00:00:00+23:59", "1e9",
    ],
)  # fmt: skip
def test_a_time_without_zone_or_off_the_scale_is_refused(text: str) -> None:
    """Issue 2, bad input: a clear refusal, never a guess at the zone."""
    with pytest.raises(ValueError):  # noqa: PT011 - whatever its words, the draft names the field
        from_rfc3339(text)


def test_no_time_stays_no_time() -> None:
    """CONTRACT: null where there is none."""
    assert maybe_rfc3339(None) is None
    assert maybe_rfc3339(0) == "1970-01-01T00:00:00.000Z"


@given(at=st.lists(st.integers(1, 10**15), min_size=2, max_size=20, unique_by=lambda t: t // 1000))
def test_ids_are_in_the_order_of_their_time(at: list[int]) -> None:
    """RFC 9562: a UUIDv7; lists page by it."""
    made = [new_id(t) for t in sorted(at)]
    assert made == sorted(made)


def test_ids_of_one_millisecond_are_in_the_order_they_were_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Newest first stays newest first within a burst."""
    monkeypatch.setattr(ids, "_sequence", count(0))
    made = [new_id(1_700_000_000_000_000) for _ in range(4_096)]
    assert made == sorted(set(made))


def test_an_id_is_a_uuid_of_version_seven() -> None:
    """RFC 9562."""
    made = uuid.UUID(new_id(1_700_000_000_123_456))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == 1_700_000_000_123


def test_the_key_of_every_attempt_comes_from_the_id_alone() -> None:
    """CASES saleor/apps#2446: a redelivered request must not get a new key."""
    made = new_id(1_700_000_000_000_000)
    assert idempotency_key(made) == idempotency_key(made) == f"act_{made}"
