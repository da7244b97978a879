"""What is sent to each call. Every field but those without a default may be left out."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from webapp.domain.signals import SignalType
from webapp.domain.text import Line, Note, Reference, Strict

Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Seen(Strict):
    """`version`: what the sender had before them; another one by now is refused (409 changed)."""

    version: Version | None = None


class Reasoned(Seen):
    reason: Note | None = None


class Rejection(Seen):
    reason: Note


class Extension(Seen):
    seconds: Annotated[int, Field(ge=1, le=3_600)]


class Compensation(Seen):
    """`payload` replaces single fields of what the kind would send."""

    name: Line
    note: Note = ""
    payload: dict[str, Any] | None = None


class Resolution(Seen):
    outcome: Literal["happened", "did_not_happen"]
    note: Note


class NewPause(Strict):
    """Neither `agent` nor `kind`: everything."""

    agent: Line | None = None
    kind: Line | None = None
    reason: Note


class Signal(Strict):
    """What changed, for a customer or about an order; with both, what either touches is held."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["customer"]}, {"required": ["order"]}]}
    )

    type: SignalType
    customer: Reference | None = None
    order: Reference | None = None
    note: Note | None = None
