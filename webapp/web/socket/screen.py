"""Who is connected, as the desk sees it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Viewer:
    """A signed-in person in one browser."""

    session_id: str
    """What `Broadcaster.drop` is given when the session ends."""
    role: str
    """Chooses the frame: `staff` or `admin`."""
    name: str
    """Shown to the others who watch."""


@dataclass(frozen=True, slots=True)
class Screen:
    """One socket: a viewer, and the last cursor that its page has (None: only what comes)."""

    viewer: Viewer
    after: str | None = None
