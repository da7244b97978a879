"""The feed behind the socket, on both databases."""

import json
from typing import Any

import pytest
from flask import Flask

from webapp.app import create_app
from webapp.config import Settings
from webapp.services import agents, cancel, clock, settings
from webapp.services import draft as drafts
from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store.agents import Agent
from webapp.store.engine import Database
from webapp.web.feed_source import DeskFeed
from webapp.web.pages.rendered import Rows
from webapp.web.socket import StaleCursor

STAFF = Caller("staff:ana@example.com", "Ana", None, 1)


class Played:
    """A desk, its feed, and what an agent drafts on it."""

    def __init__(self, database: Database) -> None:
        self.desk = Desk(database, Settings(secret_key="s" * 32))
        self.app: Flask = create_app(self.desk)
        self.feed = DeskFeed(self.desk, Rows(self.app))
        agents.add(self.desk, "bot", "draft")
        settings.change(self.desk, "reply", {"mode": "window"}, "test")

    def draft(self, **changes: Any) -> str:
        body = {
            "kind": "reply",
            "summary": "Say hello",
            "payload": {"to": "a@example.com", "subject": "Hello", "body": "Hello"},
            "customer": {"ref": "c-1"},
            **changes,
        }
        return drafts.draft(self.desk, Agent("bot", frozenset({"draft"})), body, None).action.id

    def frames(self, cursor: str) -> list[dict[str, Any]]:
        changes = self.feed.since(cursor, 100)
        assert all(change.frames["staff"] == change.frames["admin"] for change in changes)
        return [json.loads(change.frames["staff"]) for change in changes]


@pytest.fixture
def played(database: Database) -> Played:
    return Played(database)


def test_every_change_brings_its_row_as_it_is_now(played: Played) -> None:
    start = played.feed.latest()
    action_id = played.draft()
    clock.hold(played.desk, action_id, STAFF)
    drafted, held = played.frames(start)
    assert drafted["id"] == held["id"] == action_id
    assert held["type"] == "row"
    assert held["state"] == "held"
    assert held["version"] == 2
    assert f'data-action="{action_id}" data-state="held" data-version="2"' in held["html"]
    # who had seen the first of the two gets the second, and nothing afterwards
    assert [frame["state"] for frame in played.frames(drafted["cursor"])] == ["held"]
    assert played.frames(held["cursor"]) == []


def test_rows_that_speak_of_the_changed_one_come_along(played: Played) -> None:
    parent = played.draft()
    start = played.feed.latest()
    child = played.draft(depends_on=[parent])
    [frame] = played.frames(start)
    assert frame["id"] == child
    assert [other["id"] for other in frame["also"]] == [parent]
    assert "also stops 1 more" in frame["also"][0]["html"]


def test_a_cascade_brings_every_row_that_it_took(played: Played) -> None:
    parent = played.draft()
    child = played.draft(depends_on=[parent])
    start = played.feed.latest()
    cancel.cancel(played.desk, parent, STAFF)
    assert {frame["id"]: frame["state"] for frame in played.frames(start)} == {
        parent: "cancelled",
        child: "cancelled",
    }


@pytest.mark.parametrize("cursor", ["", "x", "1", "-1.2", "999999999.999999999", "1.2.3"])
def test_a_cursor_that_this_database_never_gave_is_stale(played: Played, cursor: str) -> None:
    played.draft()
    with pytest.raises(StaleCursor):
        played.feed.since(cursor, 10)


def test_a_row_that_cannot_be_shown_does_not_stop_the_feed(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = played.feed.latest()
    broken, fine = played.draft(), played.draft()
    shown = Rows.html

    def html(self: Rows, action: Any, *rest: Any) -> str:
        if action.id == broken:
            raise ValueError("cannot be shown")
        return shown(self, action, *rest)

    monkeypatch.setattr(Rows, "html", html)
    changes = played.feed.since(start, 10)
    assert [change.action_id for change in changes] == [broken, fine]
    assert changes[0].frames == {}
    assert fine in changes[1].frames["staff"]


def test_who_would_stop_the_changed_one_comes_along_from_any_depth(played: Played) -> None:
    """Promise 10: a row says what its cancel would stop, and each of those may change."""
    top = played.draft()
    middle = played.draft(depends_on=[top])
    low = played.draft(depends_on=[middle])
    start = played.feed.latest()
    clock.hold(played.desk, low, STAFF)
    [frame] = played.frames(start)
    also = {other["id"]: other["html"] for other in frame["also"]}
    assert also.keys() == {top, middle}
    assert "“Say hello” · held" in also[top]
