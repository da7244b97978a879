"""The first moments of a fresh demo: a feed that has something of everything, at once."""

from webapp.demo import mistakes, orders, scenes
from webapp.demo.client import Client
from webapp.demo.orders import Order, an_order
from webapp.demo.scenes import Draft, Play, Stage
from webapp.demo.shop import CUSTOMERS, PRODUCTS
from webapp.domain.errors import DeskError
from webapp.services import clock, settings
from webapp.services.caller import Caller
from webapp.services.desk import Desk

FIRST_LABEL_SECONDS = 15
"""The window of the first label: it runs while a newcomer signs in."""
LABEL_SECONDS = 45

_FIRST: tuple[Play, ...] = (
    *(scenes.by_flagged, scenes.wrong_address, scenes.other_size),
    *(mistakes.ten_times, mistakes.to_somebody_else, mistakes.absurd),
)


def open_with(desk: Desk, colleague: Caller, client: Client, stage: Stage) -> None:
    """A chain of three of which the first is due in seconds, a held reply, and one of each kind.

    `colleague` is whoever holds the reply.
    """
    chain = scenes.returned(stage)
    label = _draft(client, chain, None)
    settings.change(desk, "label", {"window_seconds": str(LABEL_SECONDS)}, "demo")
    if label is not None:
        refund = _draft(client, chain, label)
        if refund is not None:
            _draft(client, chain, refund)
    _dear(client, stage)
    _held(desk, colleague, client, stage)
    for play in _FIRST:
        _draft(client, play(stage), None)


def _draft(client: Client, scene: scenes.Scene, answer: str | None) -> str | None:
    """The scene's next draft, which it must have."""
    step = scene.send(answer)
    return client.draft(step.body) if isinstance(step, Draft) else None


def _dear(client: Client, stage: Stage) -> None:
    """Above the approval limit: it waits for a person."""
    jackets = an_order(stage.random, CUSTOMERS, PRODUCTS[-1:], (3,))
    body = orders.refund(
        jackets,
        jackets.total,
        why="returned, unused",
        reason="All three came back unused; the label was scanned yesterday.",
    )
    client.draft(body)


def _held(desk: Desk, colleague: Caller, client: Client, stage: Stage) -> None:
    order: Order = an_order(stage.random)
    action_id = client.draft(
        orders.reply(
            order,
            subject="About your order",
            text=f"what you ordered ({order.item}) is out of stock at the moment. We "
            "expect more in two weeks.",
            summary=f"Tell {order.customer.first_name} that it takes two weeks more",
        )
    )
    if action_id is None:
        return
    try:
        clock.hold(desk, action_id, colleague, reason="Asking the warehouse whether that is so")
    except DeskError:
        return
