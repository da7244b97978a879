"""One press on the feed for several actions: the selected ones, or all that match a filter."""

from typing import Annotated
from urllib.parse import parse_qs

from flask import Blueprint, Response, flash, jsonify, request
from pydantic import BeforeValidator, Field

from webapp.domain.errors import Invalid
from webapp.domain.filters import Filter, parse
from webapp.domain.states import State
from webapp.domain.text import Note, Strict
from webapp.domain.verbs import ALLOWED, Verb
from webapp.services import screen
from webapp.web.api.body import idempotency_key, read_body
from webapp.web.current import desk
from webapp.web.pages import bulk
from webapp.web.pages.feed import Viewed, feed_of
from webapp.web.pages.layout import page

pages = Blueprint("feed_bulk", __name__)

AT_MOST = 500
"""Actions in one call."""
VERBS = tuple(verb for verb in Verb if verb is not Verb.RESOLVE)
"""An unknown outcome is settled one by one: each has been looked up at the provider."""
STOPS = frozenset({Verb.CANCEL, Verb.HOLD, Verb.REJECT, Verb.EXTEND})
"""What may be done to all that match, seen or not. Whatever lets something happen, or undoes it,
needs the versions that were on screen."""
_ALSO_NEW = ", some of which came meanwhile"
_SAY_WHY = "Say why they are rejected: the agent reads it."
_NONE = "Select at least one first."


def _verb(name: object) -> Verb:
    if name not in VERBS:
        raise ValueError(f"not one of {', '.join(VERBS)}")
    return Verb(str(name))


class Bulk(Strict):
    """Either `rows`, or `filter` (as an address has it, `seen` being how many it showed)."""

    verb: Annotated[Verb, BeforeValidator(_verb)]
    rows: Annotated[list[Viewed], Field(max_length=AT_MOST)] | None = None
    filter: Annotated[str, Field(max_length=4_000)] | None = None
    seen: Annotated[int, Field(ge=0)] | None = None
    reason: Note = ""
    seconds: Annotated[int, Field(ge=1, le=3_600)] | None = None


@pages.post("/feed/bulk")
def press() -> Response:
    """Scripts send JSON and get each row's result; a form gets the feed with them."""
    return _for_script(read_body(Bulk)) if request.is_json else _for_form()


def _for_script(asked: Bulk) -> Response:
    verb = asked.verb
    if (asked.rows is None) == (asked.filter is None):
        raise Invalid.field("/rows", "either these or a filter")
    if verb is Verb.REJECT and not asked.reason.strip():
        raise Invalid.field("/reason", "is required: say why, for the agent and for later")
    chosen, left = _chosen(verb, asked)
    seconds = {} if asked.seconds is None else {"seconds": str(asked.seconds)}
    results = bulk.each(verb, chosen, asked.reason.strip(), idempotency_key(), seconds)
    html = _html(results)
    said = bulk.summed(results)
    more = asked.seen is not None and len(chosen) + left > asked.seen
    return jsonify(
        results=[
            {
                "id": one.id,
                "good": one.good,
                "outcome": one.outcome,
                "message": one.sentence,
                "html": html.get(one.id, ""),
                "created": html.get(one.created.id, "") if one.created else "",
            }
            for one in results
        ],
        counts=bulk.counts(results),
        left=left,
        message=said + (f"; {left} more match" if left else "") + (_ALSO_NEW if more else ""),
    )


def _chosen(verb: Verb, asked: Bulk) -> tuple[list[bulk.Pick], int]:
    """What to press it on, and how many match beyond that."""
    if asked.filter is None:
        return [(one.id, one.version) for one in asked.rows or ()], 0
    if verb not in STOPS:
        raise Invalid.field(
            "/filter", f"{verb} needs the rows that you have looked at: select them"
        )
    wanted = parse(parse_qs(asked.filter, keep_blank_values=True))
    states = set(ALLOWED[verb])
    if verb is Verb.CANCEL:
        states.add(State.EXECUTING)  # each is told that it is too late, and keeps the cancel
    found = screen.all_of(desk(), wanted, states, 20 * AT_MOST)
    return [(one, None) for one in found[:AT_MOST]], len(found[AT_MOST:])


def _for_form() -> Response:
    """What was refused stays selected, on the feed as the form had it."""
    verb = next((verb for verb in VERBS if verb == request.form.get("do")), None)
    if verb is None:
        raise Invalid.field("/do", f"one of {', '.join(VERBS)}")
    chosen = bulk.picks(AT_MOST)
    note = request.form.get("reason", "").strip()
    error = "" if chosen else _NONE
    if chosen and verb is Verb.REJECT and not note:
        error = _SAY_WHY
    wanted = parse(parse_qs(request.form.get("shown", "")))
    if error:
        flash(error, "bad")
        return Response(_page(wanted, [action_id for action_id, _ in chosen], {}), 400)
    results = bulk.each(verb, chosen, note)
    answers = {one.id: one.sentence for one in results if not one.good}
    flash(f"{bulk.summed(results)}.", "warn" if answers else "good")
    return Response(_page(wanted, list(answers), answers))


def _page(wanted: Filter, picked: list[str], answers: dict[str, str]) -> str:
    found = feed_of(wanted, pickable=True, picked=picked, answers=answers)
    return page("feed/page.html", **found)


def _html(results: list[bulk.Result]) -> dict[str, str]:
    """By id: each row as it is now, and each that was drafted."""
    drafted = [one.created.id for one in results if one.created]
    found, around = screen.rows(desk(), [*(one.id for one in results), *drafted])
    now, render = desk().now(), bulk.rows()
    return {one.id: render.html(one, around, now) for one in found.values()}
