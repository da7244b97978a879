"""A valid payload of every kind, and a draft around it."""

from typing import Any

PLACE = {
    "name": "Ana", "street1": "1 Road", "city": "Pune", "zip": "411001", "country": "India",
}  # fmt: skip
AMOUNT = {"value": 1250, "currency": "INR"}

PAYLOADS: dict[str, dict[str, Any]] = {
    "refund": {"payment": "pi_1", "amount": AMOUNT, "reason": ""},
    "label": {
        "order": "o-1",
        "carrier": "USPS",
        "service": "Ground",
        "from": PLACE,
        "to": PLACE,
        "parcel": {"weight_g": 500},
    },
    "reply": {"to": "ana@example.com", "subject": "Your order", "body": "Hello\n\tAna"},
    "exchange": {"order": "o-1", "sku": "mug", "quantity": 1},
    "webhook": {
        "url": "https://hooks.example.com/x",
        "method": "POST",
        "headers": {},
        "body": {"a": [1, None]},
        "undo": {"url": "https://hooks.example.com/y", "body": None},
    },
}


def body(kind: str = "refund", **changes: Any) -> dict[str, Any]:
    """A draft body as an agent sends it; a change to None leaves the field out."""
    whole = {
        "kind": kind,
        "summary": "Do it",
        "payload": PAYLOADS.get(kind, {}),
        "customer": {"ref": "c-1"},
        **changes,
    }
    return {name: value for name, value in whole.items() if value is not None}
