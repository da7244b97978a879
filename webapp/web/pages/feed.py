"""The feed: what is about to happen, soonest first, what needs a person, then what ended.

Its address says what it is narrowed to. A screen gets the first rows with the page and asks for the
others piece by piece; whether a live row belongs to a narrowed feed is asked here, too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from flask_wtf.csrf import generate_csrf
from pydantic import Field

from webapp.domain.errors import Invalid
from webapp.domain.filters import EVERYTHING, Filter, parse
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import TERMINAL, State
from webapp.domain.text import Line, Strict
from webapp.domain.times import SECOND
from webapp.services import agents, read, screen, views
from webapp.store.feed import COUNTED
from webapp.web.api.bodies import Version
from webapp.web.api.body import read_body
from webapp.web.current import caller, desk, person
from webapp.web.pages.feed_place import place_of, token_of
from webapp.web.pages.layout import page, zone_of
from webapp.web.rows import Row

pages = Blueprint("feed", __name__)

MATCHED_AT_ONCE = 50
"""Ids in one question; more would not fit into a request line."""
_BESIDE = frozenset({"after", "id", "select"})
"""What stands in the address beside the filter."""
RANKS = (State.EXECUTED, State.UNKNOWN, State.FAILED, State.HELD, State.AWAITING_APPROVAL)
"""What needs a person, the most pressing first: a lost race, then what nobody knows, …

static/js/order.js has the same list.
"""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading; `name` is what scripts and styles know it by."""

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filter's fields offer."""

    kinds: list[tuple[str, str]]
    states: list[tuple[str, str]]
    agents: list[str]
    currencies: list[str]


class Viewed(Strict):
    """One row that was at least half on screen for a second, in a tab that was visible."""

    id: Line
    version: Version


class Views(Strict):
    views: Annotated[list[Viewed], Field(max_length=views.AT_MOST)]


@pages.get("/")
def feed() -> tuple[str, int]:
    """At most `screen.ROWS` rows. A filter that can't be meant is shown with what is wrong."""
    found, status = _asked()
    return page("feed/page.html", **found), status


@pages.get("/feed/rows")
def rows() -> tuple[str, int]:
    """The list alone: for a screen that fetches it again, or goes on behind what it has."""
    found, status = _asked()
    csrf, now = generate_csrf(), desk().now()
    return render_template("feed/rows.html", csrf=csrf, server_now=now, **found), status


@pages.get("/feed/match")
def match() -> Response:
    """`{"ids": […]}`: which of these rows the filter has."""
    asked = list(dict.fromkeys(request.args.getlist("id")))
    if len(asked) > MATCHED_AT_ONCE:
        raise Invalid.field("/id", f"at most {MATCHED_AT_ONCE} at once")
    return jsonify(ids=screen.matching(desk(), parse(_query()), asked))


@pages.post("/feed/views")
def record_views() -> Response:
    """204. Which versions were really seen: an action that nobody saw may have to wait."""
    seen = read_body(Views).views
    views.record(desk(), person().id, [(one.id, one.version) for one in seen])
    return Response(status=204)


def feed_of(
    wanted: Filter = EVERYTHING,
    place: Mapping[str, Any] | None = None,
    *,
    errors: Invalid | None = None,
    pickable: bool = False,
    picked: Iterable[str] = (),
    answers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the feed's templates need. `pickable`: for who selects without scripts.

    `answers`, by id: what a row was told.
    """
    found = screen.page(desk(), person().id, wanted, place)
    chosen, told = frozenset(picked), answers or {}
    now = desk().now()
    zone = zone_of(current_app._get_current_object())  # type: ignore[attr-defined]
    shown = [
        Row(one, found.around, zone, now, pickable, one.id in chosen, told.get(one.id, ""))
        for one in found.rows
    ]
    groups = grouped(shown)
    here = sum(len(group.rows) for group in groups if group.name == "needs")
    return {
        "groups": groups,
        "cursor": found.cursor,
        "total": found.counts.total,
        "needs": max(here, found.counts.needs),
        "counted": COUNTED,
        "unread": found.unread,
        "after": token_of(found.ends) if found.ends else "",
        "filter": wanted,
        "query": wanted.to_query(),
        "typed": {name: given for name, given in _query().items() if name not in _BESIDE},
        "pickable": pickable,
        "errors": {one.pointer[1:]: one.detail for one in errors.errors} if errors else {},
        "choices": _choices(shown, wanted),
        "fresh": not shown and not wanted.narrows and not read.newest(desk(), caller(), limit=1),
    }


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
    groups["needs"].rows.sort(key=lambda row: (RANKS.index(row.action.state), row.action.id))
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


def _asked() -> tuple[dict[str, Any], int]:
    """What the address asks for, and the status; all of the feed where that can't be meant."""
    try:
        wanted, place = parse(_query()), _place()
    except Invalid as refused:
        return feed_of(errors=refused), 400
    return feed_of(wanted, place, pickable=request.args.get("select") == "yes"), 200


def _query() -> dict[str, list[str]]:
    return request.args.to_dict(flat=False)


def _place() -> dict[str, Any] | None:
    token = request.args.get("after", "")
    return place_of(token) if token else None


def _choices(shown: Iterable[Row], wanted: Filter) -> Choices:
    """The currencies are those of the rows here, and the one that is asked for."""
    currencies = {row.action.amount_currency for row in shown} | {wanted.currency}
    return Choices(
        [(name, kind.label) for name, kind in KINDS.items()],
        [(state.value, state.label) for state in State],
        [one.name for one in agents.everyone(desk())],
        sorted(filter(None, currencies)),
    )
