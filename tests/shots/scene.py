"""The desk that is photographed: the same each time, with something of everything on it.

No worker runs: nothing moves while the pictures are taken.
"""

import json
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fixtures.desk import make_desk
from webapp.config import Settings
from webapp.demo import orders, seed
from webapp.demo.orders import Body, an_order
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import (
    agents,
    cancel,
    clock,
    customers,
    decide,
    pause,
    people,
    settings,
    sign_in,
    status,
)
from webapp.services import draft as drafts
from webapp.services import prune as pruning
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.services.digest import digest
from webapp.services.followers import FOLLOWERS
from webapp.store import claims, migrate
from webapp.store.agents import Agent
from webapp.store.claims import Finish
from webapp.store.engine import Database
from webapp.store.schema import action

WORKER = "worker:shots"
LONG = "Donaudampfschifffahrtsgesellschaftskapitän" * 3
STEERING = "pay\u202etnuocca rehto\u202c to \u200bMeera\u2066 \u0645\u0631\u062d\u0628\u0627"
"""What a hostile or a merely foreign text looks like."""


@dataclass
class Scene:
    """Where it is served, who may look, and the actions by what became of them."""

    url: str
    cookies: dict[str, str]
    actions: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """Paths of the customer's pages, by status."""
    welcome: str = ""


@contextmanager
def scene(*, empty: bool = False, locale: str | None = None) -> Iterator[Scene]:
    """Served until the block ends; its folder goes with it.

    `empty`: people, and nothing else. `locale`: every customer's, else each their own.
    """
    with tempfile.TemporaryDirectory(prefix="undo-desk-shots-") as folder:
        url = f"sqlite:///{Path(folder) / 'shots.db'}"
        secret = secrets.token_urlsafe(32)
        outside = make_desk(Path(folder) / "desk", url, SECRET_KEY=secret, TIMEZONE="Asia/Kolkata")
        with closing(Database(url)) as database:
            migrate.migrate(database)
            desk = Desk(database, Settings(secret_key=secret))
            made = Scene("", _cookies(desk)) if empty else _filled(desk, locale)
            try:
                outside.serve("--no-worker")
                made.url = outside.url
                yield made
            finally:
                outside.close()


def _cookies(desk: Desk) -> dict[str, str]:
    """One of each role, signed in."""
    seed.seed(desk)
    return {
        person.role: sign_in.sign_in(
            desk, email=person.email, password=person.password, host="127.0.0.1"
        )
        for person in seed.PEOPLE
    }


def _filled(desk: Desk, locale: str | None) -> Scene:
    cookies = _cookies(desk)
    agents.add(desk, seed.AGENT, "draft,read,cancel")
    for kind in ("refund", "label", "reply", "exchange"):
        _window(desk, kind, 600)
    director = _Director(desk, locale)
    made = Scene("", cookies)
    made.actions = director.play()
    made.links = {
        how: f"/s/{status.token(desk.settings, action_id)}"
        for how, action_id in made.actions.items()
    }
    link = people.invite(
        desk, email="new@demo.example", name="Nia New", role="staff", by="staff:ana@demo.example"
    )
    made.welcome = f"/welcome/{link.token}"
    while not digest(desk, FOLLOWERS):
        continue  # counted and findable, as a worker makes it
    customers.flag(desk, "c-long", f"{LONG} {STEERING}", "staff:ana@demo.example")
    return made


def _window(desk: Desk, kind: str, seconds: int) -> None:
    values = {"window_seconds": str(seconds), "long_window_seconds": "1200"}
    settings.change(desk, kind, values, "demo")


class _Director:
    """Makes the actions, and brings each to where it stands in the pictures."""

    def __init__(self, desk: Desk, locale: str | None) -> None:
        self._desk = desk
        self._locale = locale
        self._agent = Agent(seed.AGENT, frozenset({"draft", "read", "cancel"}))
        self._ana = Caller("staff:ana@demo.example", "Ana Lindqvist", None, 2)
        self._random = Random(7)

    def play(self) -> dict[str, str]:
        found = {
            "pruned": self._pruned(),
            "executed": self._ended(self._reply(), State.EXECUTED),
            "late": self._late(),
            "failed": self._ended(self._refund(), State.FAILED),
            "unknown": self._ended(self._refund(), State.UNKNOWN),
            "cancelled": self._cancelled(),
            "rejected": self._rejected(),
            "held": self._held(),
            "awaiting": self._draft(
                orders.stop_parcel(
                    self._order(), "https://warehouse.example", reason="It ships tonight."
                )
            ),
            "executing": self._executing(),
            "odd": self._odd(),
            "exchange": self._draft(orders.exchange(self._order(), reason="Too small.")),
        }
        for seconds in (40, 150, 900):
            for kind in ("refund", "label", "reply"):
                _window(self._desk, kind, seconds)
            found[f"in {seconds} s"] = self._chain()
        pause.pause(self._desk, self._ana, reason="The warehouse counts its stock", kind="exchange")
        return found

    def _order(self) -> orders.Order:
        return an_order(self._random)

    def _draft(self, body: Body) -> str:
        if self._locale:
            body = {**body, "customer": {**body["customer"], "locale": self._locale}}
        return drafts.draft(self._desk, self._agent, body, None).action.id

    def _refund(self) -> str:
        order = self._order()
        return self._draft(
            orders.refund(order, order.total, why="arrived damaged", reason="The photo shows it.")
        )

    def _reply(self) -> str:
        order = self._order()
        text = f"your parcel ({order.item}) left the depot and should be with you by Friday."
        return self._draft(
            orders.reply(
                order, subject="Where it is", text=text, summary=f"Say where {order.ref} is"
            )
        )

    def _chain(self) -> str:
        """A label, the money that waits for it, and word of it."""
        order = self._order()
        label = self._draft(orders.label(order, reason="Within the 30 days."))
        refund = self._draft(
            orders.refund(
                order, order.total, why="returned", reason="Once the label is out.", after=label
            )
        )
        self._draft(
            orders.reply(
                order,
                subject="Your return",
                text="it is under way.",
                summary="Say so",
                after=refund,
            )
        )
        return label

    def _claimed(self, action_id: str) -> claims.Claim:
        clock.run_now(self._desk, action_id, self._ana)
        found = self._desk.db.transact(lambda tx: claims.claim(tx, WORKER, 100, 3_600 * SECOND))
        return next(one for one in found if one.id == action_id)

    def _ended(self, action_id: str, state: State) -> str:
        claim = self._claimed(action_id)
        effect = {"status": "settled", "provider_id": "re_7Qx2", "detail": {"told": "accepted"}}
        error = {"message": "the provider closed the line", "permanent": True, "detail": None}
        done = state is State.EXECUTED
        finish = Finish(
            claim.id,
            claim.attempt,
            state,
            json.dumps(effect) if done else None,
            None if done else json.dumps(error),
            data=json.dumps({"attempt": 1} | ({} if done else {"error": error["message"]})),
        )
        self._desk.db.transact(lambda tx: claims.finish(tx, WORKER, [finish]))
        return action_id

    def _late(self) -> str:
        action_id = self._refund()
        claim = self._claimed(action_id)
        cancel.cancel(self._desk, action_id, self._ana, reason="The amount is wrong")
        effect = json.dumps({"status": "submitted", "provider_id": "re_9Zk1", "detail": {}})
        done = Finish(claim.id, claim.attempt, State.EXECUTED, effect, None)
        self._desk.db.transact(lambda tx: claims.finish(tx, WORKER, [done]))
        return action_id

    def _cancelled(self) -> str:
        action_id = self._reply()
        cancel.cancel(self._desk, action_id, self._ana, reason="The parcel is at customs")
        return action_id

    def _rejected(self) -> str:
        body = orders.stop_parcel(
            self._order(), "https://warehouse.example", reason="It ships tonight."
        )
        action_id = self._draft(body)
        decide.reject(self._desk, action_id, self._ana, reason="It has shipped already")
        return action_id

    def _held(self) -> str:
        action_id = self._reply()
        clock.hold(
            self._desk, action_id, self._ana, reason="Asking the warehouse whether that is so"
        )
        return action_id

    def _executing(self) -> str:
        action_id = self._reply()
        self._claimed(action_id)
        return action_id

    def _pruned(self) -> str:
        action_id = self._cancelled()
        back = 500 * pruning.DAY
        moved = action.update().where(action.c.id == action_id)
        self._desk.db.transact(
            lambda tx: tx.conn.execute(moved.values(finished_at=action.c.finished_at - back))
        )
        pruning.prune(self._desk)
        return action_id

    def _odd(self) -> str:
        """Long words without a break, and characters that steer."""
        order = self._order()
        body = orders.reply(
            order, subject="x", text=f"{LONG} {STEERING}", summary=f"{STEERING} {LONG}"
        )
        body["customer"] |= {"ref": "c-long", "name": f"{STEERING} {LONG}"[:200]}
        body["order"] = LONG[:200]
        return self._draft(body)
