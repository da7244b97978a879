"""The approvals: what waits for a decision, the longest waiting first, and deciding on it.

One row's buttons are those of the feed. Several at once are decided one by one, each by the version
that was shown; what was refused says why and stays selected.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import DeskError, Invalid
from webapp.domain.states import State
from webapp.domain.verbs import Verb
from webapp.services import approvals, screen
from webapp.web.current import caller, desk
from webapp.web.moments import age
from webapp.web.pages.action import refusal
from webapp.web.pages.layout import page, zone_of
from webapp.web.pages.outcomes import Asked, press
from webapp.web.pages.rendered import Rows
from webapp.web.pages.story import Story
from webapp.web.rows import ORDINARY, Row, in_words

pages = Blueprint("approvals", __name__)
_PICK = re.compile(r"([0-9a-f-]{36}):([0-9]{1,9})")
_DECISIONS = {verb.value: verb for verb in (Verb.APPROVE, Verb.REJECT)}
_NONE = "Select at least one first."


@dataclass(frozen=True)
class Waiting(Row):
    """A row of the queue: with its rules, and all that it would send."""

    signs: bool = False
    picked: bool = False
    answer: str = ""
    """What the last press was told of it."""

    queued: ClassVar[bool] = True

    @property
    def age(self) -> str:
        return age(self.now - self.action.drafted_at)

    @property
    def marks(self) -> list[str]:
        """None: the rules stand below, in full."""
        return []

    @property
    def rules(self) -> list[tuple[str, bool]]:
        """The policy's reasons, and whether each speaks of a risk."""
        because = [str(reason) for reason in self.action.decision.get("because", ())]
        return [(in_words(reason), not reason.startswith(ORDINARY)) for reason in because]

    @cached_property
    def story(self) -> Story:
        return Story(self, (), self.signs)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one of several. `what` names it where it is known."""

    id: str
    good: bool
    outcome: str
    sentence: str
    what: str = ""


@pages.get("/approvals")
def show() -> str:
    """At most `approvals.ROWS` rows."""
    return _page([])


@pages.post("/approvals")
def decide() -> AnyResponse:
    """Approve or reject the selected. Scripts get `{message, results, rows}`."""
    by_script = request.accept_mimetypes.best == "application/json"
    verb = _DECISIONS.get(request.form.get("do", ""))
    if verb is None:
        raise Invalid.field("/do", "must be approve or reject")
    picks = _picks()
    reason = request.form.get("reason", "").strip()
    error = "" if picks else _NONE
    if picks and verb is Verb.REJECT and not reason:
        error = "Say why they are rejected: the agent reads it."
    if error:
        chosen = {action_id for action_id, _ in picks}
        if by_script:
            return jsonify(message=error, results=[], rows=[])
        return Response(_page([], chosen, reason, error), status=400)
    note = reason if verb is Verb.REJECT else ""
    results = _named([_decide_one(verb, *pick, note) for pick in picks])
    if by_script:
        return _for_script(verb, results)
    left = {one.id for one in results if not one.good}
    return Response(_page(results, left, reason if left and note else ""))


def _picks() -> list[tuple[str, int]]:
    """Ids and the versions that were shown. Raises Invalid."""
    found = [_PICK.fullmatch(pick) for pick in request.form.getlist("pick")]
    if len(found) > approvals.ROWS:
        raise Invalid.field("/pick", f"at most {approvals.ROWS} at once")
    picks = {one[1]: int(one[2]) for one in found if one}
    if None in found:
        raise Invalid.field("/pick", "must be ID:VERSION")
    return list(picks.items())


def _decide_one(verb: Verb, action_id: str, seen: int, note: str) -> Result:
    try:
        outcome = press(verb, desk(), caller(), Asked(action_id, seen, note, None, {}))
    except DeskError as refused:
        return Result(action_id, False, refused.code, refusal(refused))
    return Result(action_id, True, outcome.word, outcome.sentence)


def _named(results: list[Result]) -> list[Result]:
    found, around = screen.rows(desk(), [one.id for one in results])
    rows = {one: _rows().row(action, around, 0).what for one, action in found.items()}
    return [
        Result(one.id, one.good, one.outcome, one.sentence, rows.get(one.id, "")) for one in results
    ]


def _for_script(verb: Verb, results: list[Result]) -> Response:
    found, around = screen.rows(desk(), [one.id for one in results])
    now, render = desk().now(), _rows()
    decided = [one for one in found.values() if one.state is not State.AWAITING_APPROVAL]
    return jsonify(
        message=_summary(verb, results),
        results=[
            {"id": one.id, "outcome": one.outcome, "message": one.sentence, "good": one.good}
            for one in results
        ],
        rows=[render.html(one, around, now) for one in decided],
    )


def _summary(verb: Verb, results: list[Result]) -> str:
    done = sum(one.good for one in results)
    past = "approved" if verb is Verb.APPROVE else "rejected"
    left = len(results) - done
    return f"{done} {past}." if not left else f"{done} {past}, {left} not: the rows say why."


def _page(
    results: list[Result], picked: set[str] | None = None, reason: str = "", error: str = ""
) -> str:
    queue = approvals.queue(desk())
    now, signs = desk().now(), desk().settings.webhook_secret is not None
    zone = zone_of(current_app._get_current_object())  # type: ignore[attr-defined]
    answers = {one.id: one.sentence for one in results if not one.good}
    rows = [
        Waiting(
            action,
            queue.around,
            zone,
            now,
            signs=signs,
            picked=action.id in (picked or ()),
            answer=answers.get(action.id, ""),
        )
        for action in queue.rows
    ]
    return page(
        "approvals/page.html", queue=queue, rows=rows, results=results, reason=reason, error=error
    )


def _rows() -> Rows:
    return Rows(current_app._get_current_object())  # type: ignore[attr-defined]
