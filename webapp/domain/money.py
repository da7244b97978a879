"""Money: integer minor units with an ISO 4217 code."""

import re
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt

from webapp.domain.currencies import EXPONENTS

_AMOUNT = re.compile(r"(\d{1,15}):([A-Z]{3})")


def _known(code: str) -> str:
    if code not in EXPONENTS:
        raise ValueError("not an ISO 4217 currency code")
    return code


Currency = Annotated[str, AfterValidator(_known)]


class Amount(BaseModel):
    """An amount above 0: `{"value": 1250, "currency": "INR"}` is 12.50 rupees."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Annotated[StrictInt, Field(gt=0, le=10**15)]
    currency: Currency

    def __str__(self) -> str:
        return plain(self.value, self.currency)


@lru_cache(maxsize=1024)
def plain(value: int, currency: str) -> str:
    """`1250, "INR"` -> `12.50 INR`: unambiguous, for decisions and messages."""
    digits = EXPONENTS.get(currency, 2)
    whole, part = divmod(abs(value), 10**digits)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d} {currency}" if digits else f"{sign}{whole} {currency}"


def thresholds(text: str) -> dict[str, int]:
    """`500000:INR,5000:USD` -> `{"INR": 500000, "USD": 5000}`. Raises ValueError."""
    found: dict[str, int] = {}
    for part in text.split(","):
        match = _AMOUNT.fullmatch(part.strip())
        if not match:
            raise ValueError(f"{part.strip()!r} is not VALUE:CUR, for example 500000:INR")
        code = _known(match[2])
        if code in found:
            raise ValueError(f"{code} is given twice")
        found[code] = int(match[1])
    return found


def thresholds_text(limits: dict[str, int]) -> str:
    """The inverse of `thresholds`."""
    return ",".join(f"{value}:{code}" for code, value in sorted(limits.items()))
