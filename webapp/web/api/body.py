"""Reading a request's body and its key, strictly: what is not understood is refused by name."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from flask import request
from pydantic import BaseModel
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.domain.drafts import validated
from webapp.domain.errors import Invalid
from webapp.web.problems import NotJson, TooLarge

M = TypeVar("M", bound=BaseModel)

MOST_DEEP = 100
"""Lists and objects inside one another."""
_DIGITS = 310
"""Of a whole number: a double has no more."""
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def read_body(model: type[M]) -> M:
    """The body as a `model`; an empty one is an empty object. Raises Invalid, NotJson, TooLarge."""
    return validated(model, json_body())


def json_body() -> object:
    """The body's JSON value (RFC 8259), `{}` where it is empty.

    Refused although Python would take it: NaN, infinities and numbers beyond a double, a name
    twice in one object, more than MOST_DEEP levels. Raises Invalid, NotJson, TooLarge.
    """
    _check_type()
    try:
        raw = request.get_data(cache=False)
        # a body in chunks is cut at the limit without a word; only the read after that tells
        request.stream.read(1)
    except RequestEntityTooLarge:
        raise TooLarge("At most 1 MiB is read.") from None
    if not raw:
        return {}
    if not request.mimetype:
        raise NotJson("Send Content-Type: application/json.")
    try:
        text = raw.decode()
    except UnicodeDecodeError as problem:
        raise _not_json(f"not valid UTF-8 at byte {problem.start}") from None
    try:
        value = json.loads(
            text,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError as problem:
        raise _not_json(str(problem)) from None
    _check_depth(value)
    return value


def idempotency_key() -> str | None:
    """The Idempotency-Key header, if there is one. Raises Invalid."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise Invalid.field("/Idempotency-Key", "needs 1 to 255 visible ASCII characters")
    return key


def _check_type() -> None:
    kind = request.mimetype
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise NotJson("Content-Encoding is not understood here: send the body as it is.")
    if request.content_length == 0 or not kind or kind == "application/json":
        return
    if not kind.startswith("application/") or not kind.endswith("+json"):
        raise NotJson(f"Send Content-Type: application/json, not {kind[:100]}.")


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _too_large(text)
    return number


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise _too_large(text)
    return int(text)


def _too_large(text: str) -> ValueError:
    return ValueError(f"the number {text[:40]} is too large")


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the name {name[:100]!r} stands twice in one object")
        found[name] = value
    return found


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(MOST_DEEP + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise _too_deep()


def _not_json(why: str) -> Invalid:
    return Invalid(f"The body is not JSON: {why}.")


def _too_deep() -> Invalid:
    return Invalid(f"The body is nested too deeply: at most {MOST_DEEP} levels.")
