"""How one person wants the desk: their zone, keys, density, and how much time they need."""

from functools import cache
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator

from webapp.domain.text import Strict

EXTENSION_SECONDS = 60
"""What one press for more time gives whoever needs no more time than others."""


@cache
def zones() -> tuple[str, ...]:
    """The zones that people know by a place, and UTC; in order."""
    places = (name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    return ("UTC", *sorted(places))


def _zone(name: str) -> str:
    if name not in zones():
        raise ValueError("is no zone that this desk knows: choose one like Asia/Kolkata")
    return name


class Preferences(Strict):
    """What a person has chosen. What was kept by an older version lacks a key: its default."""

    zone: Annotated[str, AfterValidator(_zone)] | None = None
    """None: as the browser says, and the desk's where no script runs."""
    keys: bool = True
    """Single letters act (WCAG 2.1.4: they can be switched off)."""
    density: Literal["comfortable", "compact"] = "comfortable"
    more_time: Literal[1, 2, 5, 10] = 1
    """How many times as long an extension is (WCAG 2.2.1)."""
    notify: bool = False
    """A notice of the desktop when something fails, is unknown or is held."""

    @property
    def extension_seconds(self) -> int:
        """What one press for more time gives this person."""
        return EXTENSION_SECONDS * self.more_time
