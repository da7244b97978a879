"""What may be reported about the world outside, and how it reads on a row that it stopped."""

from typing import Literal

SignalType = Literal["customer_replied", "dispute_opened", "order_changed", "outside_refund"]

WORDS: dict[SignalType, str] = {
    "customer_replied": "the customer replied",
    "dispute_opened": "a dispute was opened",
    "order_changed": "the order changed",
    "outside_refund": "a refund was made elsewhere",
}


def in_words(what: SignalType, note: str | None) -> str:
    """`the customer replied: please wait`, the reason on the row."""
    return f"{WORDS[what]}: {note.strip()}" if note and note.strip() else WORDS[what]
