"""Text as it may be stored and shown: the checks that every free field shares."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
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


def _address(text: str) -> str:
    if len(text) > 254 or not _ADDRESS.fullmatch(text):
        raise ValueError("exactly one plain e-mail address is needed, like ana@example.com")
    return text


Line = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)]
"""One line of 1 to 200 characters."""

MaybeLine = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
"""One line of up to 200 characters; may be empty."""

Reference = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)
]
"""A foreign id: order, payment, customer."""

Address = Annotated[str, AfterValidator(_address)]
"""Exactly one e-mail address, without a display name."""

Note = Annotated[str, StringConstraints(max_length=5_000)]
"""Free text of a person or agent, several lines allowed."""


def unstorable(value: Any, pointer: str = "") -> Iterator[str]:
    """JSON pointers of the strings in `value` that no database can keep (NUL, lone surrogates)."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            yield pointer
    elif isinstance(value, dict):
        for key, inner in value.items():
            here = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if _UNSTORABLE.search(key):
                yield pointer
            else:
                yield from unstorable(inner, here)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from unstorable(inner, f"{pointer}/{number}")
