"""Refunds, and asking for the money again."""

from webapp.domain.kinds.base import Done, Example, Kind, Payload, WayBack, money
from webapp.domain.money import Amount
from webapp.domain.text import MaybeLine, Note, Reference, Strict


class Refund(Strict):
    payment: Reference
    amount: Amount
    reason: MaybeLine


class Reversal(Strict):
    refund: Reference
    payment: Reference
    amount: Amount
    note: Note = ""


def _reversal(done: Done, note: str) -> dict[str, object]:
    return {
        "refund": done.provider_id,
        "payment": done.payload["payment"],
        "amount": done.payload["amount"],
        "note": note,
    }


def _to_payment(payload: Payload) -> str:
    return f"payment {payload['payment']}"


REFUND = Kind(
    name="refund",
    label="Refund",
    payload=Refund,
    target=_to_payment,
    customer_line="Your refund of {amount}",
    amount=money,
    examples=(Example({}, priced="amount"),),
    way_back=WayBack(
        name="reversal",
        kind="refund.reversal",
        label="Take the refund back",
        explain="The refund is stopped while the provider still allows it; "
        "after that the customer is asked to pay again.",
        build=_reversal,
    ),
)

REVERSAL = Kind(
    name="refund.reversal",
    label="Refund reversal",
    payload=Reversal,
    target=_to_payment,
    customer_line="The correction of your refund of {amount}",
    amount=money,
    examples=(Example({}, priced="amount"),),
    repairs="refund",
)
