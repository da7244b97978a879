"""Text as it may be stored and shown: the checks that every free field shares."""

import json
import math
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_DEEPEST = 100
"""Levels of a body; more would exhaust the stack of whoever walks it."""
_TELLING = 4
"""Characters: shorter texts are codes, as of a country or a currency."""
_SOME_ADDRESS = re.compile(r"[^\s<>\"'(),:;]+@[^\s<>\"'(),:;]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\u00a1-\uffff-]{1,64}"
    r"@(?:[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff-]{0,61}[A-Za-z0-9\u00a1-\uffff])?\.)*"
    r"[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff-]{0,61}[A-Za-z0-9\u00a1-\uffff])?"
)


class Strict(BaseModel):
    """A body: unknown fields are refused, nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("control characters and line breaks are not allowed here")
    return text


def _header(text: str) -> str:
    if "=?" in text:
        raise ValueError("'=?' is not allowed here: mail programs read it as an encoded word")
    return _one_line(text)


def _address(text: str) -> str:
    # isprintable: the pattern's wide range also has separators and invisible marks.
    plain = text.isprintable() and "=?" not in text and _ADDRESS.fullmatch(text)
    if len(text) > 254 or not plain:
        raise ValueError("exactly one plain e-mail address is needed, like ana@example.com")
    return text


Line = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)]
"""One line of 1 to 200 characters."""

Header = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_header)]
"""A `Line` that becomes a header of a mail: no encoded words (RFC 2047) either."""

MaybeLine = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
"""One line of up to 200 characters; may be empty."""

Reference = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)
]
"""A foreign id: order, payment, customer."""

Address = Annotated[str, AfterValidator(_address)]
"""Exactly one e-mail address, without a display name."""

NOTE_AT_MOST = 5_000
"""Characters."""

Note = Annotated[str, StringConstraints(max_length=NOTE_AT_MOST)]
"""Free text of a person or agent, several lines allowed."""


def unstorable(value: Any) -> Iterator[str]:
    """JSON pointers of what in `value` cannot be kept as JSON text in every database.

    Strings with NUL or a lone surrogate, numbers that are not finite, nesting without end.
    """
    return iter(()) if _plainly_storable(value) else _unstorable(value)


def _plainly_storable(value: Any) -> bool:
    """A quick look at all of it at once; False: look closely."""
    try:
        text = _PLAIN.encode(value)
        text.encode()
    except (ValueError, RecursionError):
        return False
    return "\\u0000" not in text and text.count("{") + text.count("[") < _DEEPEST


def impersonal(words: str, payload: Any) -> str:
    """`words` with an ellipsis for each address, and for each text of `payload` that they repeat.

    For what is kept for ever: a provider's refusal likes to name whom it refused.
    """
    for text in sorted(_texts(payload), key=len, reverse=True):
        words = words.replace(text, "…")
    return _SOME_ADDRESS.sub("…", words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= _TELLING:
            yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _unstorable(value: Any, pointer: str = "", depth: int = 0) -> Iterator[str]:
    if _is_unstorable(value, depth):
        yield pointer
    elif isinstance(value, dict):
        for key, inner in value.items():
            here = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if _UNSTORABLE.search(key):
                yield pointer
            else:
                yield from _unstorable(inner, here, depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unstorable(inner, f"{pointer}/{number}", depth + 1)


def _is_unstorable(value: Any, depth: int) -> bool:
    if isinstance(value, str):
        return _UNSTORABLE.search(value) is not None
    if isinstance(value, float):
        return not math.isfinite(value)
    return depth == _DEEPEST and isinstance(value, dict | list)
