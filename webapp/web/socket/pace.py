"""How often, and for how long: the broadcaster's times, all in seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """The defaults are the desk's; tests use shorter ones."""

    tick: float = 0.5
    """How exact the other times are. Not ticking while nobody watches."""
    beat: float = 10.0
    unheard_beats: int = 2
    """A screen that answers none of so many pings is gone."""
    stall: float = 4.0
    """A screen whose socket takes nothing for so long is cut: within 5 s, ticks included."""
    linger: float = 1.0
    """How long a closing socket waits for its peer's close."""
    presence: float = 1.0
    """Joins and leaves within this time make one presence frame."""
    poll: float = 2.0
    """The feed is looked at although nobody said there is anything."""
    rest: float = 0.05
    """The longest pause after changes went out; what comes meanwhile goes out together."""
    rest_share: float = 4.0
    """How much longer the pause is than the work before it: one fifth of a core goes to screens,
    and the rest to those who cancel."""
    retry: float = 2.0
    """After the feed could not be read."""
    sessions: float = 30.0
    """How soon a session that ended elsewhere loses its screens."""
