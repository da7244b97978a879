"""The policy table: one row a kind, its keys and values as the contract names them."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, PlainSerializer
from pydantic import model_validator as check

from webapp.domain.hours import ALWAYS, DeskHours, read_hours
from webapp.domain.kinds.registry import KINDS
from webapp.domain.money import thresholds, thresholds_text
from webapp.domain.rates import Burst, Spend, read_burst, read_spend


class Mode(StrEnum):
    """How a kind is let through."""

    OFF = "off"
    APPROVAL = "approval"
    SHADOW = "shadow"
    WINDOW = "window"
    IMMEDIATE = "immediate"


_Week = Annotated[int, Field(ge=0, le=604_800)]
_Hour = Annotated[int, Field(ge=0, le=3_600)]
_Minute = Annotated[int, Field(ge=0, le=60)]
_LONGEST_WAIT_WEEKS = 52
"""Within which desk hours must let the longest window end."""


def _parsed(read: Callable[[str], object]) -> BeforeValidator:
    """Texts by `read`; empty and `none` are nothing."""

    def parse(text: object) -> object:
        if text is None or text == "" or text == "none":
            return None
        return read(text) if isinstance(text, str) else text

    return BeforeValidator(parse)


def _yes_no(value: object) -> object:
    return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value


def _text(value: object) -> str | None:
    return None if value is None else str(value)


Limits = Annotated[
    dict[str, int] | None,
    _parsed(thresholds),
    PlainSerializer(lambda limits: thresholds_text(limits) if limits else None),
]
YesNo = Annotated[
    bool, BeforeValidator(_yes_no), PlainSerializer(lambda yes: "yes" if yes else "no")
]
Hours = Annotated[
    InstanceOf[DeskHours] | None,
    _parsed(read_hours),
    PlainSerializer(lambda hours: str(hours or ALWAYS)),
]


class Policy(BaseModel):
    """One kind's row. Keys and defaults are those of the contract; texts are converted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Mode.APPROVAL
    window_seconds: _Week = 300
    margin_seconds: _Minute = 1
    approved_window_seconds: _Hour = 10
    approval_above: Limits = None
    long_window_above: Limits = None
    long_window_seconds: _Week = 900
    flagged: Literal["approval", "long_window", "same"] = "approval"
    first_of_kind: Literal["approval", "same"] = "same"
    likely_duplicate: Literal["approval", "long_window", "same"] = "same"
    needs_eyes: YesNo = False
    approval_ttl_seconds: Annotated[int, Field(ge=1, le=2_592_000)] = 86_400
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 5
    max_overdue_seconds: Annotated[int, Field(ge=1, le=604_800)] = 3_600
    on_parent_failed: Literal["cancel", "hold"] = "cancel"
    reservation_seconds: Annotated[int, Field(ge=1, le=604_800)] = 1_800
    desk_hours: Hours = None
    burst: Annotated[InstanceOf[Burst] | None, _parsed(read_burst), PlainSerializer(_text)] = None
    spend: Annotated[InstanceOf[Spend] | None, _parsed(read_spend), PlainSerializer(_text)] = None
    allow_no_undo: YesNo = False

    @property
    def longest_window_seconds(self) -> int:
        """The longest window that a rule of this row may give."""
        return self.long_window_seconds if self._uses_long_window else self.window_seconds

    @property
    def _uses_long_window(self) -> bool:
        rules = (self.flagged, self.likely_duplicate)
        return bool(self.long_window_above) or "long_window" in rules

    @check(mode="after")
    def _long_is_longer(self) -> Self:
        if self.long_window_seconds < self.window_seconds and self._uses_long_window:
            raise ValueError("long_window_seconds must not be shorter than window_seconds")
        return self

    @check(mode="after")
    def _hours_let_it_end(self) -> Self:
        if self.desk_hours is not None:
            open_seconds = self.desk_hours.minutes_a_week * 60 * _LONGEST_WAIT_WEEKS
            if open_seconds < self.longest_window_seconds:
                raise ValueError(
                    f"desk_hours are too short: a window of {self.longest_window_seconds} s "
                    "would not end within a year"
                )
        return self


def default_policy(kind: str) -> Policy:
    """What holds before an admin decides: approval; ten seconds for a way back."""
    if KINDS[kind].repairs:
        return Policy(mode=Mode.WINDOW, window_seconds=10, flagged="same", allow_no_undo=True)
    return Policy()
