"""What the agent does when it is wrong, as agents are: fluently. Somebody should cancel these."""

from webapp.demo import orders
from webapp.demo.orders import an_order
from webapp.demo.scenes import Draft, Play, Rest, Scene, Stage
from webapp.demo.shop import CUSTOMERS, SMALL


def ten_times(stage: Stage) -> Scene:
    """A digit too many: ten times what was paid."""
    order = an_order(stage.random, products=SMALL, quantities=(1,))
    yield Draft(
        orders.refund(
            order,
            order.total * 10,
            why="returned, unused",
            reason="Full price: unused, within 30 days.",
        )
    )


def twice(stage: Stage) -> Scene:
    """The same order refunded again a moment later: the customer had only asked whether it came."""
    order = an_order(stage.random, quantities=(1,))
    first = yield Draft(
        orders.refund(
            order, order.total, why="arrived damaged", reason="The photo shows a broken corner."
        )
    )
    yield Rest(3)
    if first is not None:
        yield Draft(
            orders.refund(
                order,
                order.total,
                why="damaged on arrival",
                reason="Wrote again that it had arrived broken.",
            )
        )


def to_somebody_else(stage: Stage) -> Scene:
    """One customer's affairs in another one's mailbox."""
    order = an_order(stage.random)
    others = [one for one in CUSTOMERS if one.ref != order.customer.ref]
    yield Draft(
        orders.reply(
            order,
            subject="Your refund",
            text=f"we have sent {order.paid} back to the card that you paid with. Your address "
            f"with us is {order.customer.street}, {order.customer.city}.",
            summary=f"Confirm the refund of {order.paid} to {order.customer.first_name}",
            to=stage.random.choice(others).email,
        )
    )


def absurd(stage: Stage) -> Scene:
    """A promise that nobody can keep."""
    order = an_order(stage.random)
    promise = stage.random.choice(
        (
            "you get a free replacement every month from now on, for life",
            "we refund not only this order but all your orders of the last three years",
            "our managing director brings the new one to your door in person tomorrow",
            "from today everything in our shop is free of charge for you and your family",
        )
    )
    yield Draft(
        orders.reply(
            order,
            subject="We make it right",
            text=f"I am so sorry about your {order.product.name}. To make it right, {promise}.",
            summary=f"Make it right with {order.customer.first_name}: {promise}",
            reason="The customer sounds upset; a generous gesture keeps them.",
        )
    )


def wrong_city(stage: Stage) -> Scene:
    """The label starts from a city where the customer does not live."""
    order = an_order(stage.random)
    places = {one.city for one in CUSTOMERS if one.country == order.customer.country}
    city = stage.random.choice(sorted(places - {order.customer.city}) or ["Hamburg"])
    yield Draft(orders.label(order, reason="Wants to return it, below two kilograms.", city=city))


MISTAKES: tuple[tuple[Play, int], ...] = (
    (ten_times, 3),
    (twice, 2),
    (to_somebody_else, 2),
    (absurd, 2),
    (wrong_city, 1),
)
"""Each with its weight."""
