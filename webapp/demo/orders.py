"""An order, and the draft bodies that an agent writes about one."""

from dataclasses import dataclass
from random import Random
from typing import Any

from webapp.demo.shop import CUSTOMERS, NAME, PRODUCTS, WAREHOUSES, Customer, Product
from webapp.domain.money import plain

Body = dict[str, Any]
"""What `POST /api/v1/actions` takes."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a customer bought and paid, in one payment."""

    ref: str
    payment: str
    customer: Customer
    product: Product
    quantity: int

    @property
    def currency(self) -> str:
        return self.customer.currency

    @property
    def total(self) -> int:
        """Minor units."""
        return self.product.prices[self.currency] * self.quantity

    @property
    def paid(self) -> str:
        return plain(self.total, self.currency)

    @property
    def item(self) -> str:
        return f"{self.quantity} × {self.product.name}" if self.quantity > 1 else self.product.name


def an_order(
    random: Random,
    customers: tuple[Customer, ...] = CUSTOMERS,
    products: tuple[Product, ...] = PRODUCTS,
    quantities: tuple[int, ...] = (1, 1, 1, 1, 2),
) -> Order:
    """A new one, by somebody."""
    number = random.randrange(10_000, 1_000_000)
    return Order(
        ref=f"KA-{number}",
        payment=f"pay_{number:06d}{random.randrange(16**8):08x}",
        customer=random.choice(customers),
        product=random.choice(products),
        quantity=random.choice(quantities),
    )


def refund(order: Order, value: int, *, why: str, reason: str, after: str | None = None) -> Body:
    """`why` ends the summary, `reason` is the agent's own account."""
    payload = {
        "payment": order.payment,
        "amount": {"value": value, "currency": order.currency},
        "reason": why,
    }
    summary = f"Refund for {order.item}, paid {order.paid}: {why}"
    return _body("refund", order, summary, reason, payload, after)


def reply(
    order: Order,
    *,
    subject: str,
    text: str,
    summary: str,
    reason: str = "",
    to: str = "",
    after: str | None = None,
) -> Body:
    """To the customer, unless `to` says otherwise."""
    payload = {
        "to": to or order.customer.email,
        "subject": f"{subject} ({order.ref})",
        "body": f"Hello {order.customer.first_name},\n\n{text}\n\nKind regards\n{NAME}",
    }
    return _body("reply", order, summary, reason, payload, after)


def label(order: Order, *, reason: str, city: str = "") -> Body:
    """From the customer's address to the warehouse; `city` puts another one in the address."""
    who, there = order.customer, WAREHOUSES[order.currency]
    sender = {
        "name": who.name,
        "street1": who.street,
        "city": city or who.city,
        "zip": who.zip,
        "country": who.country,
        **({"state": who.state} if who.state else {}),
    }
    payload = {
        "order": order.ref,
        "carrier": there.carrier,
        "service": there.service,
        "from": sender,
        "to": {
            "name": there.name,
            "street1": there.street,
            "city": there.city,
            "zip": there.zip,
            "country": there.country,
        },
        "parcel": {"weight_g": order.product.weight_g * order.quantity + 150},
    }
    summary = f"Return label for {order.item}, {who.city} to {there.city}"
    return _body("label", order, summary, reason, payload, None)


def exchange(order: Order, *, reason: str) -> Body:
    """For the product's other size or colour, from stock."""
    product = order.product
    payload = {"order": order.ref, "sku": product.other_sku, "quantity": order.quantity}
    summary = f"Exchange {order.item} for {product.other_name}"
    return _body("exchange", order, summary, reason, payload, None)


def stop_parcel(order: Order, warehouse: str, *, reason: str) -> Body:
    """A call to the warehouse's own system, with the call that undoes it."""
    payload = {
        "url": f"{warehouse}/parcels/{order.ref}/stop",
        "method": "POST",
        "body": {"order": order.ref, "stop": True},
        "undo": {"url": f"{warehouse}/parcels/{order.ref}/release", "body": {"order": order.ref}},
    }
    summary = f"Stop the parcel of {order.ref} ({order.item}) in the warehouse"
    return _body("webhook", order, summary, reason, payload, None)


def _body(
    kind: str, order: Order, summary: str, reason: str, payload: Body, after: str | None
) -> Body:
    who = order.customer
    return {
        "kind": kind,
        "summary": summary,
        "reason": reason,
        "payload": payload,
        "customer": {
            "ref": who.ref,
            "name": who.name,
            "email": who.email,
            "locale": who.locale,
            "timezone": who.timezone,
        },
        "order": order.ref,
        "depends_on": [after] if after else [],
    }
