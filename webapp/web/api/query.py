"""Reading query parameters, as strictly as bodies."""

import base64
import binascii
import re
from typing import Annotated, TypeVar
from uuid import UUID

from flask import request
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from webapp.domain.drafts import validated
from webapp.domain.errors import Invalid
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.domain.text import Line, Reference, Strict

M = TypeVar("M", bound=BaseModel)

_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


def _whole(text: object) -> int:
    if not isinstance(text, str) or not _WHOLE.fullmatch(text):
        raise ValueError("must be a whole number")
    return int(text)


def _decimal(text: object) -> float:
    if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
        raise ValueError("must be a number")
    return float(text)


def _state(name: object) -> State:
    if name not in list(State):
        raise ValueError(f"not one of {', '.join(State)}")
    return State(str(name))


def _kind(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"not one of {', '.join(KINDS)}")
    return name


class Listing(Strict):
    """Which actions, and how many of them."""

    state: Annotated[State, BeforeValidator(_state)] | None = None
    kind: Annotated[str, AfterValidator(_kind)] | None = None
    agent: Line | None = None
    customer: Reference | None = None
    order: Reference | None = None
    cursor: str | None = None
    limit: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=200)] = 50


class Following(Strict):
    """`after` left out: from the beginning. `wait` in seconds, for the first event to come."""

    after: str | None = None
    wait: Annotated[float, BeforeValidator(_decimal), Field(ge=0, le=30)] = 0.0
    limit: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=500)] = 100


class Nothing(Strict):
    """No parameter is known."""


def read_query(model: type[M]) -> M:
    """The query as a `model`. Raises Invalid: an unknown parameter, one given twice, a bad one."""
    given = request.args.to_dict(flat=False)
    for name, values in given.items():
        if len(values) > 1:
            raise Invalid.field(f"/{name[:100]}", "is given twice")
    return validated(model, {name: values[0] for name, values in given.items()})


def cursor_behind(action_id: str) -> str:
    """The list cursor that goes on below an action; opaque to everybody else."""
    return base64.urlsafe_b64encode(UUID(action_id).bytes).decode().rstrip("=")


def before(cursor: str | None) -> str | None:
    """The id that a list cursor stands behind. Raises Invalid."""
    if cursor is None:
        return None
    try:
        found = str(UUID(bytes=base64.b64decode(f"{cursor}==".encode(), b"-_", validate=True)))
    except (ValueError, binascii.Error):
        found = ""
    if not found or cursor_behind(found) != cursor:
        raise Invalid.field("/cursor", "not a cursor of this list")
    return found
