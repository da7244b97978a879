"""Instants as integers: UTC microseconds since 1970, the one form in which time is kept."""

from datetime import UTC, datetime, timedelta

SECOND = 1_000_000
MILLISECOND = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * SECOND


def to_rfc3339(at: int) -> str:
    """`2026-11-30T09:41:25.114Z`: RFC 3339, UTC, milliseconds (rounded down)."""
    moment = to_datetime(at)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def maybe_rfc3339(at: int | None) -> str | None:
    """`to_rfc3339`, letting None through."""
    return None if at is None else to_rfc3339(at)


def from_rfc3339(text: str) -> int:
    """Microseconds for an RFC 3339 time. Raises ValueError without an offset or off the scale."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("the time needs a zone, for example a final Z")
    at = from_datetime(moment)
    if not 0 <= at <= _LATEST:
        raise ValueError("the time is off the scale")
    return at


def to_datetime(at: int) -> datetime:
    """An aware UTC datetime."""
    return _EPOCH + timedelta(microseconds=at)


def from_datetime(moment: datetime) -> int:
    """The inverse, for any aware datetime."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def duration(seconds: int) -> str:
    """`5 min`, `1 min 30 s`, `2 d`."""
    parts = []
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
