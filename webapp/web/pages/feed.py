"""The feed: what is about to happen, soonest first, what needs a person, then what ended."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from flask import Blueprint, Response, current_app, render_template
from flask_wtf.csrf import generate_csrf
from pydantic import Field

from webapp.domain.states import TERMINAL, State
from webapp.domain.text import Line, Strict
from webapp.domain.times import SECOND
from webapp.services import screen, views
from webapp.web.api.bodies import Version
from webapp.web.api.body import read_body
from webapp.web.current import desk, person
from webapp.web.pages.layout import page
from webapp.web.pages.rendered import Rows
from webapp.web.rows import Row

pages = Blueprint("feed", __name__)

_RANKS = (State.EXECUTED, State.UNKNOWN, State.FAILED, State.HELD, State.AWAITING_APPROVAL)
"""What needs a person, the most pressing first: a lost race, then what nobody knows, …"""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading; `name` is what scripts and styles know it by."""

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)


class Viewed(Strict):
    """One row that was at least half on screen for a second, in a tab that was visible."""

    id: Line
    version: Version


class Views(Strict):
    views: Annotated[list[Viewed], Field(max_length=views.AT_MOST)]


@pages.get("/")
def feed() -> str:
    """At most `screen.ROWS` rows."""
    return page("feed/page.html", **_feed())


@pages.get("/feed/rows")
def rows() -> str:
    """The list alone, for a screen that has to fetch it again."""
    return render_template("feed/rows.html", csrf=generate_csrf(), **_feed())


@pages.post("/feed/views")
def record_views() -> Response:
    """204. Which versions were really seen: an action that nobody saw may have to wait."""
    seen = read_body(Views).views
    views.record(desk(), person().id, [(one.id, one.version) for one in seen])
    return Response(status=204)


def _feed() -> dict[str, Any]:
    actions, around, cursor = screen.page(desk())
    now = desk().now()
    render = Rows(current_app._get_current_object())  # type: ignore[attr-defined]
    groups = grouped([render.row(action, around, now) for action in actions])
    needs = sum(len(group.rows) for group in groups if group.name == "needs")
    return {"groups": groups, "cursor": cursor, "needs": needs}


def grouped(rows: list[Row]) -> list[Group]:
    """Every group, empty ones too: a live row may come into each."""
    groups = {
        # What runs by itself comes first: a queue that waits for people must not push it away.
        "minute": Group("minute", "Due within a minute"),
        "needs": Group("needs", "Needs a person"),
        "five": Group("five", "Next five minutes"),
        "waits": Group("waits", "Waits for another action"),
        "later": Group("later", "Later"),
        "ended": Group("ended", "Finished lately"),
    }
    for row in rows:
        groups[_group(row)].rows.append(row)
    groups["needs"].rows.sort(key=lambda row: (_RANKS.index(row.action.state), row.action.id))
    return list(groups.values())


def _group(row: Row) -> str:
    """The same rule as in static/js/order.js."""
    if row.needs_person:
        return "needs"
    if row.action.state in TERMINAL:
        return "ended"
    if row.blocked:
        return "waits"
    if row.left <= 60 * SECOND:
        return "minute"
    return "five" if row.left <= 300 * SECOND else "later"
