"""The body of a draft, as an agent sends it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, ValidationError

from webapp.domain.errors import FieldError, Invalid
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.text import Address, Line, Note, Reference, Strict, unstorable
from webapp.domain.times import from_rfc3339

M = TypeVar("M", bound=BaseModel)
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_ZONES = frozenset(available_timezones())
_CANNOT_BE_STORED = (
    "cannot be stored: NUL, a lone surrogate, a number that is not finite, or nested too deeply"
)


def _kind(name: str) -> str:
    if name not in DRAFTED:
        raise ValueError(f"not one of {', '.join(DRAFTED)}")
    return name


def _zone(name: str) -> str:
    if name not in _ZONES:
        raise ValueError("not a time zone of the IANA database, like Asia/Kolkata")
    return name


def _time(text: str) -> str:
    try:
        from_rfc3339(text)
    except ValueError as problem:
        raise ValueError(f"not an RFC 3339 time, like 2026-11-30T09:00:00Z: {problem}") from None
    return text


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Locale = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$")]


class Customer(Strict):
    """Whom the action concerns. `locale` is a BCP 47 tag, `timezone` an IANA name."""

    ref: Reference
    name: Line | None = None
    email: Address | None = None
    locale: Locale | None = None
    timezone: Annotated[str, AfterValidator(_zone)] | None = None


class Draft(Strict):
    """What one action should do. The window is not the agent's to set."""

    kind: Annotated[str, AfterValidator(_kind)]
    summary: Annotated[
        str, StringConstraints(min_length=1, max_length=500), AfterValidator(_visible)
    ]
    reason: Note = ""
    payload: dict[str, Any]
    customer: Customer
    order: Reference | None = None
    depends_on: Annotated[list[Line], Field(max_length=50, default_factory=list)]
    not_before: Annotated[str, AfterValidator(_time)] | None = None
    merge_key: Reference | None = None

    @property
    def not_before_at(self) -> int | None:
        """`not_before` in UTC microseconds."""
        return None if self.not_before is None else from_rfc3339(self.not_before)


def read_draft(body: object) -> Draft:
    """The draft in `body` (JSON values), its payload validated for its kind. Raises Invalid."""
    draft = validated(Draft, body)
    payload = _dumped(_conforming(KINDS[draft.kind].payload, draft.payload, "/payload"))
    return draft.model_copy(update={"payload": payload})


def read_payload(kind: str, payload: Mapping[str, Any], pointer: str = "") -> dict[str, Any]:
    """The payload as it is stored: validated, absent fields left out. Raises Invalid."""
    return _dumped(validated(KINDS[kind].payload, payload, pointer))


def _dumped(payload: BaseModel) -> dict[str, Any]:
    return payload.model_dump(mode="json", by_alias=True, exclude_none=True)


def validated(model: type[M], body: object, pointer: str = "") -> M:
    """`body` as a `model`. Raises Invalid, naming each field by a JSON pointer."""
    if not isinstance(body, dict):
        words = "a JSON object is needed"
        raise Invalid(f"{pointer}: {words}" if pointer else words, (FieldError(pointer, words),))
    bad = tuple(FieldError(pointer + at, _CANNOT_BE_STORED) for at in unstorable(body))
    if bad:
        raise Invalid(f"{bad[0].pointer} {bad[0].detail}", bad)
    return _conforming(model, body, pointer)


def _conforming(model: type[M], body: Mapping[str, Any], pointer: str) -> M:
    """`validated` of what is known to be storable."""
    try:
        return model.model_validate(body)
    except ValidationError as problem:
        errors = tuple(
            FieldError(pointer + _pointer(error["loc"]), _plain(error["type"], error["msg"]))
            for error in problem.errors(include_url=False, include_input=False)
        )
        raise Invalid(f"{errors[0].pointer}: {errors[0].detail}", errors) from None


def canonical(value: object) -> str:
    """JSON with sorted keys and no spaces: one text for one value."""
    return _CANONICAL.encode(value)


def fingerprint(text: str) -> str:
    """SHA-256 of `text`, hex: what is compared instead of the body."""
    return hashlib.sha256(text.encode()).hexdigest()


def _pointer(location: tuple[int | str, ...]) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in location)
    return "".join(f"/{step}" for step in steps if step != "[key]")


def _plain(kind: str, message: str) -> str:
    words = {"missing": "is required", "extra_forbidden": "is not a known field"}
    return words.get(kind, message.removeprefix("Value error, "))
