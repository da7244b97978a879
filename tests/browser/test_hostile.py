"""Texts of others stay texts: in each field, on every page and over the socket. Issue 5.

Forty payloads; field by field each action takes the next one, so that after forty actions of a
kind each of its fields has had each of them.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from tests.browser.payloads import PAYLOADS, THIS_PAGE, THOSE_PAGES, WATCH
from tests.browser.stage import Screen, Stage
from tests.fixtures.desk import make_desk
from webapp.services import cancel, clock, customers, pause, settings, status
from webapp.services import draft as drafts
from webapp.services.caller import Caller
from webapp.store import people, stock
from webapp.store.agents import Agent
from webapp.store.engine import Tx
from webapp.store.schema import action
from webapp.store.stock import Item
from webapp.web.routes import TABLE, Answer, Who

SECRET = "k" * 32
BOT = Agent("returns-agent", frozenset({"draft", "read", "cancel"}))
ANA = Caller("staff:ana@example.com", "Ana", None, 1)


class Hostile:
    """The desk whose every text is a payload."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._desk = stage.services
        self.ids: dict[str, list[str]] = {}

    def fill(self) -> None:
        """What admins and staff write, and an agent's refunds, labels, exchanges and calls."""
        self._desk.db.transact(self._rows)
        for kind in ("exchange", "webhook"):
            settings.change(self._desk, kind, {"mode": "window", "window_seconds": "900"}, "test")
        settings.change(self._desk, "label", {"mode": "approval"}, "test")
        for number, text in enumerate(PAYLOADS):
            customers.flag(self._desk, f"c-{number}", text, ANA.actor)
        for kind in ("refund", "label", "exchange", "webhook"):
            self.ids[kind] = [self.draft(kind, number) for number in range(len(PAYLOADS))]
        for number, text in enumerate(PAYLOADS):
            clock.hold(self._desk, self.ids["refund"][number], ANA, reason=text)
            cancel.cancel(self._desk, self.ids["exchange"][number], ANA, reason=text)
        # on the bar of every page
        for text in PAYLOADS[::4]:
            pause.pause(self._desk, ANA, reason=text, kind="label.void")

    def draft(self, kind: str, number: int) -> str:
        """One whose fields are payloads from `number` on."""
        texts = iter([*PAYLOADS[number:], *PAYLOADS[:number]])
        payload: Any = {
            "refund": lambda: {
                "payment": next(texts),
                "amount": {"value": 1250, "currency": "INR"},
                "reason": next(texts),
            },
            "reply": lambda: {
                "to": "meera@example.com",
                "subject": next(texts),
                "body": f"{next(texts)}\n{next(texts)}",
            },
            "label": lambda: _label(texts),
            "exchange": lambda: {"order": next(texts), "sku": "mug", "quantity": 1},
            "webhook": lambda: {
                "url": "https://shop.example.com/hook",
                "headers": {"X-Note": "a note"},
                "body": {next(texts): [next(texts)]},
                "undo": {"url": "https://shop.example.com/undo", "body": next(texts)},
            },
        }[kind]
        body = {
            "kind": kind,
            "payload": payload(),
            "summary": next(texts),
            "reason": next(texts),
            "customer": {"ref": next(texts), "name": next(texts)},
            "order": next(texts),
        }
        return drafts.draft(self._desk, BOT, body, None).action.id

    @staticmethod
    def _rows(tx: Tx) -> None:
        for number, text in enumerate(PAYLOADS):
            email = f"p{number}@example.com"
            people.add(tx, email=email, name=text, role="staff", password_hash="none")
        stock.put(tx, [Item("mug", 1_000, "A mug")])
        stock.put(tx, [Item(text, 1, text) for text in PAYLOADS])

    def told_by_the_provider(self) -> None:
        """What a provider says stands on the row when it has run."""
        done = self.ids["exchange"]

        def work(tx: Tx) -> None:
            for one, text in zip(done, PAYLOADS, strict=True):
                said = {"message": text, "permanent": True, "detail": {text: text}}
                effect = {"status": "submitted", "provider_id": text, "detail": {text: [text]}}
                changed = update(action).where(action.c.id == one)
                tx.conn.execute(changed.values(error=json.dumps(said), effect=json.dumps(effect)))

        self._desk.db.transact(work)

    def links(self, kind: str) -> list[str]:
        """The customers' pages."""
        served = self.stage.services.settings.model_copy(update={"secret_key": SECRET})
        return [f"/s/{status.token(served, one)}" for one in self.ids[kind]]


@pytest.fixture(scope="module")
def hostile(
    new_database: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hostile]:
    """A desk of its own: nobody else wants to live there."""
    folder = tmp_path_factory.mktemp("hostile") / "desk"
    stage = Stage.open(make_desk(folder, new_database("sqlite"), secret_key=SECRET))
    try:
        found = Hostile(stage)
        found.fill()
        found.told_by_the_provider()
        yield found
    finally:
        stage.close()


@pytest.fixture
def watched(hostile: Hostile, browser: Browser) -> Iterator[Page]:
    """An admin's page, which must run nothing, report nothing and call nobody else."""
    screen = Screen.open(hostile.stage, browser, "ida", {})
    page = screen.page
    page.add_init_script(WATCH)
    called: list[str] = []
    page.on("request", lambda asked: called.append(asked.url))
    page.on("dialog", lambda dialog: screen.complaints.append(dialog.message))
    yield page
    page.context.close()
    # a page that is refused is told of, too
    said = [one for one in screen.complaints if not one.startswith("Failed to load resource")]
    assert said == []
    assert [one for one in called if not one.startswith((hostile.stage.url, "ws:"))] == []


def test_what_comes_over_the_socket_stays_text(hostile: Hostile, watched: Page) -> None:
    """Forty replies arrive on an open feed, are looked at, touched, and pressed."""
    watched.goto(hostile.stage.url)
    watched.locator('[data-line="live"]').wait_for()
    ids = [hostile.draft("reply", number) for number in range(len(PAYLOADS))]
    hostile.ids["reply"] = ids
    for one in (ids[0], ids[-1]):
        expect(watched.locator(f'li[data-action="{one}"]')).to_have_count(1)
    first = watched.locator(f'li[data-action="{ids[0]}"]')
    first.locator('button[data-do="hold"]').click()
    expect(first).to_have_attribute("data-state", "held")
    assert watched.evaluate(THIS_PAGE) == []
    shown = watched.locator(f'li[data-action="{ids[0]}"] .why')
    assert "pwned=1" in (shown.text_content() or "")


def test_no_page_has_more_than_its_template_wrote(hostile: Hostile, watched: Page) -> None:
    """Every page of the route table, every action, and what an address asks for."""
    stage = hostile.stage
    everywhere = [
        route.path
        for route in TABLE
        if (route.method, route.answer) == ("GET", Answer.PAGE)
        and "{" not in route.path
        and route.who is not Who.NO_PERSON
        and route.path not in ("/api/docs", "/login", "/reports.csv")
    ]
    for path in [*everywhere, "/settings/refund", "/settings/refund/ladder"]:
        watched.goto(stage.url + path)
        assert watched.evaluate(THIS_PAGE) == [], path
    ours = hostile.ids
    for kind, ids in ours.items():
        watched.goto(f"{stage.url}/actions/{ids[0]}")
        assert watched.evaluate(THIS_PAGE) == [], kind
    # of the other kinds a fourth: what they have beside these is escaped by the same macro
    some = {kind: ids if kind in ("label", "reply") else ids[::4] for kind, ids in ours.items()}
    pages = [f"/actions/{one}" for ids in some.values() for one in ids]
    asked = [
        f"{path}={quote(text)}"
        for path, texts in (
            ("/?q", PAYLOADS[::4]),
            ("/history?q", PAYLOADS),
            ("/reports?from", PAYLOADS),
            ("/login?next", PAYLOADS),
        )
        for text in texts
    ]
    assert watched.evaluate(THOSE_PAGES, [*pages, *asked]) == []


def test_a_customers_page_says_nothing_of_it(hostile: Hostile, watched: Page) -> None:
    """Neither summary nor reason: and the order, where it stands, as text."""
    paths = [path for kind in ("refund", "exchange", "label") for path in hostile.links(kind)]
    watched.goto(hostile.stage.url + "/preferences")
    assert watched.evaluate(THOSE_PAGES, paths) == []


def _label(texts: Iterator[str]) -> dict[str, Any]:
    names = ("name", "street1", "street2", "city", "state", "zip")
    ends = {end: {name: next(texts) for name in names} for end in ("from", "to")}
    for end in ends.values():
        end["country"] = "IN"
    said = {"order": next(texts), "carrier": next(texts), "service": next(texts)}
    return said | ends | {"parcel": {"weight_g": 500}}
