"""What goes wrong in the sandbox on purpose, and how long things take."""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum


class Fault(StrEnum):
    DECLINE = "decline"
    """Refused for good; nothing happened."""
    BUSY = "busy"
    """Refused for now; nothing happened."""
    DROP_REPLY = "drop_reply"
    """It happened, and the answer is lost."""
    HANG = "hang"
    """Nothing happened, and no answer comes before the deadline."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A fault of one kind (`*`: every kind), with a probability from 0 to 1."""

    kind: str
    fault: Fault
    probability: float


@dataclass(frozen=True, slots=True)
class Faults:
    """The standing faults, tried in order."""

    chances: tuple[Chance, ...] = field(default=())

    @classmethod
    def parse(cls, text: str) -> "Faults":
        """From `refund=decline:0.1,*=drop_reply:0.05`; without a probability, always.

        Raises ValueError, in words.
        """
        return cls(tuple(_chance(part.strip()) for part in text.split(",") if part.strip()))

    def draw(self, kind: str, key: str, attempt: int) -> Fault | None:
        """The fault of this attempt: the same answer for the same attempt, in every process."""
        for number, chance in enumerate(self.chances):
            if chance.kind in (kind, "*"):
                drawn = hashlib.sha256(f"{number}:{key}:{attempt}".encode()).digest()
                if int.from_bytes(drawn[:8]) / 2**64 < chance.probability:
                    return chance.fault
        return None


def _chance(text: str) -> Chance:
    kind, equals, rest = text.partition("=")
    name, colon, share = rest.partition(":")
    if not kind or not equals or name not in set(Fault):
        raise ValueError(f"{text!r} is not KIND=FAULT[:PROBABILITY]; faults: {', '.join(Fault)}")
    try:
        probability = float(share) if colon else 1.0
    except ValueError:
        probability = -1.0
    if not 0 <= probability <= 1:
        raise ValueError(f"{text!r}: the probability must be between 0 and 1")
    return Chance(kind, Fault(name), probability)
