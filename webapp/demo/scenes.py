"""What the agent does when it does right. A scene is a generator of steps.

`yield Draft(body)` is answered with the new action's id, or None where the desk refused.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from random import Random

from webapp.demo import orders
from webapp.demo.orders import Body, an_order
from webapp.demo.shop import FLAGGED, PRODUCTS


@dataclass(frozen=True, slots=True)
class Draft:
    """One action more."""

    body: Body


@dataclass(frozen=True, slots=True)
class Cancel:
    """The agent takes its own action back."""

    action_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rest:
    """The scene goes on after so many drafts of other scenes."""

    drafts: int


@dataclass(frozen=True, slots=True)
class Stage:
    """What scenes are played with. `warehouse` is the URL of the warehouse's system."""

    random: Random
    warehouse: str


Scene = Generator[Draft | Cancel | Rest, str | None, None]
Play = Callable[[Stage], Scene]

_EXCHANGEABLE = tuple(product for product in PRODUCTS if product.other_sku)
_SIZE = tuple(product for product in _EXCHANGEABLE if "size" in product.name)


def returned(stage: Stage) -> Scene:
    """Label, then the money, then word of it: each waits for the one before."""
    order = an_order(stage.random)
    label = yield Draft(
        orders.label(order, reason=f"{order.customer.name} returns it within the 30 days.")
    )
    if label is None:
        return
    refund = yield Draft(
        orders.refund(
            order,
            order.total,
            why="returned, unused",
            reason="Full price: unused, within 30 days. Waits for the label.",
            after=label,
        )
    )
    if refund is None:
        return
    yield Draft(
        orders.reply(
            order,
            subject="Your return",
            text=f"your return label is attached. We have sent {order.paid} back to you; it takes "
            "three to five working days until you see it.",
            summary=f"Tell {order.customer.first_name} that {order.paid} is on its way",
            after=refund,
        )
    )


def damaged(stage: Stage) -> Scene:
    """Broken on arrival: the money back without a return."""
    order = an_order(stage.random)
    part = stage.random.choice(("a torn seam", "a crack", "water stains", "a missing part"))
    refund = yield Draft(
        orders.refund(
            order,
            order.total,
            why="arrived damaged",
            reason=f"The photo shows {part}. Returns below one kilogram are not worth the postage.",
        )
    )
    yield Rest(1)
    if refund is not None:
        yield Draft(
            orders.reply(
                order,
                subject="Your damaged parcel",
                text=f"thank you for the photo, and sorry about {part}. You get {order.paid} back "
                "and need not send anything.",
                summary=f"Apologise to {order.customer.first_name}, nothing to send back",
                after=refund,
            )
        )


def late(stage: Stage) -> Scene:
    """A tenth off for a parcel that came late."""
    order = an_order(stage.random)
    days = stage.random.randrange(4, 12)
    yield Draft(
        orders.refund(
            order,
            max(order.total // 10, 1),
            why=f"delivered {days} days late",
            reason="A tenth of the price from the fourth day on, as the terms say.",
        )
    )


def where_is_it(stage: Stage) -> Scene:
    """A question, an answer."""
    order = an_order(stage.random)
    place = stage.random.choice(("the sorting centre", "the local depot", "customs"))
    yield Draft(
        orders.reply(
            order,
            subject="Where your parcel is",
            text=f"your parcel ({order.item}) left {place} this morning and should be with "
            "you within two working days.",
            summary=f"Answer where {order.ref} is ({order.item}): it left {place} this morning",
            reason="Asked twice today; the carrier's tracking is up to date.",
        )
    )


def other_size(stage: Stage) -> Scene:
    """An exchange, which takes the item from stock at once, and word of it."""
    order = an_order(stage.random, products=_EXCHANGEABLE, quantities=(1,))
    exchange = yield Draft(
        orders.exchange(
            order,
            reason="Too small, and it is in stock."
            if order.product in _SIZE
            else "Ordered the wrong colour, and the other one is in stock.",
        )
    )
    if exchange is not None:
        yield Draft(
            orders.reply(
                order,
                subject="Your exchange",
                text=f"the {order.product.other_name} one leaves us tomorrow. Please send the "
                "first one back in the same box; the label is inside.",
                summary=f"Tell {order.customer.first_name} that the exchange is under way",
                after=exchange,
            )
        )


def wrong_address(stage: Stage) -> Scene:
    """The warehouse is asked to keep a parcel: the policy asks a person first."""
    order = an_order(stage.random)
    yield Draft(
        orders.stop_parcel(
            order,
            stage.warehouse,
            reason=f"{order.customer.name} moved and gave the old address in "
            f"{order.customer.city}. It ships tonight.",
        )
    )


def keeps_it(stage: Stage) -> Scene:
    """The customer changes their mind, and the agent cancels: what depended on it goes along."""
    order = an_order(stage.random)
    label = yield Draft(
        orders.label(order, reason=f"The {order.product.name} did not please at first.")
    )
    if label is None:
        return
    yield Draft(
        orders.refund(
            order, order.total, why="returned", reason="Once the label is out.", after=label
        )
    )
    yield Rest(2)
    yield Cancel(label, f"{order.customer.first_name} wrote again and keeps it.")


def by_flagged(stage: Stage) -> Scene:
    """Somebody whom a person should look at."""
    order = an_order(stage.random, customers=(FLAGGED,))
    yield Draft(
        orders.refund(
            order,
            order.total,
            why="parcel not received",
            reason="The carrier says delivered; he says it never came.",
        )
    )


SCENES: tuple[tuple[Play, int], ...] = (
    (returned, 5),
    (damaged, 4),
    (late, 3),
    (where_is_it, 5),
    (other_size, 3),
    (wrong_address, 1),
    (keeps_it, 2),
    (by_flagged, 1),
)
"""Each with its weight."""
