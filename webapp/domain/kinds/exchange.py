"""Exchanges of one item, which reserve stock at once, and putting it back."""

from typing import Annotated, Any

from pydantic import Field, StrictInt

from webapp.domain.kinds.base import Done, Example, Kind, Payload, Stock, WayBack, money
from webapp.domain.money import Amount
from webapp.domain.text import Note, Reference, Strict

_Quantity = Annotated[StrictInt, Field(gt=0, le=1_000)]


class Exchange(Strict):
    order: Reference
    sku: Reference
    quantity: _Quantity
    charge: Amount | None = None


class Restock(Strict):
    exchange: Reference
    order: Reference
    sku: Reference
    quantity: _Quantity
    charge: Amount | None = None
    note: Note = ""


def _charge(payload: Payload) -> tuple[int, str] | None:
    return money(payload, "charge")


def _stock(payload: Payload) -> Stock:
    return Stock(payload["sku"], payload["quantity"])


def _restock(done: Done, note: str) -> dict[str, Any]:
    taken = {k: v for k, v in done.payload.items() if k in ("order", "sku", "quantity", "charge")}
    return {"exchange": done.provider_id, **taken, "note": note}


def _item(payload: Payload) -> str:
    return f"{payload['quantity']} × {payload['sku']}"


_EXAMPLES = (Example({}), Example({}, "with a charge", "charge"))

EXCHANGE = Kind(
    name="exchange",
    label="Exchange",
    payload=Exchange,
    target=_item,
    customer_line="Your exchange",
    amount=_charge,
    reserves=_stock,
    examples=_EXAMPLES,
    way_back=WayBack(
        name="restock",
        kind="exchange.restock",
        label="Take the exchange back",
        explain="The item goes back into stock and a charge is returned, until it is shipped.",
        build=_restock,
        easy=True,
    ),
)

RESTOCK = Kind(
    name="exchange.restock",
    label="Restock",
    payload=Restock,
    target=_item,
    customer_line="The cancellation of your exchange",
    amount=_charge,
    restocks=_stock,
    examples=_EXAMPLES,
    repairs="exchange",
)
