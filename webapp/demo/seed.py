"""What a demo desk has before its agent begins: people, policies, stock, a flagged customer."""

import random
from dataclasses import dataclass

from webapp.demo.opening import FIRST_LABEL_SECONDS
from webapp.demo.shop import FLAGGED, PRODUCTS
from webapp.domain.errors import DeskError
from webapp.services import agents, customers, settings, sign_in, stock
from webapp.services.desk import Desk
from webapp.store import people

AGENT = "returns-agent"
_BY = "demo"
_PLENTY, _FEW = 60, 10
_LIMITS = "500000:INR,10000:USD,9000:EUR"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the demo. The passwords are known to all: this is no desk for real work."""

    email: str
    name: str
    role: str
    password: str


PEOPLE = (
    Person("ben@demo.example", "Ben Okafor", "staff", "staff-demo-desk"),
    Person("ana@demo.example", "Ana Lindqvist", "admin", "admin-demo-desk"),
)
POLICIES: dict[str, dict[str, str]] = {
    "refund": {
        "mode": "window",
        "window_seconds": "60",
        "approval_above": _LIMITS,
        "approved_window_seconds": "10",
    },
    "label": {"mode": "window", "window_seconds": str(FIRST_LABEL_SECONDS)},
    "reply": {
        "mode": "window",
        "window_seconds": "30",
        "flagged": "long_window",
        "long_window_seconds": "120",
    },
    "exchange": {"mode": "window", "window_seconds": "60"},
    "webhook": {"mode": "approval"},
}


class NotADemo(DeskError):
    """This desk is in use: the demo does not mix with it."""

    code = "not_a_demo"


def is_demo(desk: Desk) -> bool:
    """Whether the demo's people are here. Raises NotADemo where only others are."""
    with desk.db.read() as tx:
        found = {person.email for person in people.everyone(tx)}
    if not found:
        return False
    if any(person.email in found for person in PEOPLE):
        return True
    raise NotADemo(
        "This desk has people of its own, and the demo does not mix with it: "
        "run it in another folder, or with another UNDO_DESK_DATABASE_URL"
    )


def seed(desk: Desk) -> None:
    """Make it a demo desk; where it is one, only fill up the stock. Raises NotADemo."""
    _fill(desk)
    if is_demo(desk):
        return
    for kind, values in POLICIES.items():
        settings.change(desk, kind, values, _BY)
    customers.flag(desk, FLAGGED.ref, "four parcels 'not received' this year", _BY)
    # people last: where they are, the rest is too
    for person in PEOPLE:
        sign_in.add_person(
            desk,
            email=person.email,
            name=person.name,
            role=person.role,
            password=person.password,
        )


def token(desk: Desk, kept: str | None) -> str:
    """The agent's token: the one kept from last time where it still holds, else of a new agent."""
    if kept is not None and agents.by_token(desk, kept) is not None:
        return kept
    name = AGENT
    while True:
        try:
            return agents.add(desk, name, "draft,read,cancel")
        except DeskError:
            # taken by one whose token is lost
            name = f"{AGENT}-{random.SystemRandom().randrange(1_000, 10_000)}"


def _fill(desk: Desk) -> None:
    there = {item.sku: item.available for item in stock.show(desk)}
    for product in PRODUCTS:
        if product.other_sku and there.get(product.other_sku, 0) < _FEW:
            stock.put(desk, product.other_sku, str(_PLENTY))
