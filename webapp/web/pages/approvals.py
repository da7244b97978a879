"""The approvals: what waits for a decision, the longest waiting first, and deciding on it.

One row's buttons are those of the feed. Several at once are decided one by one, each by the version
that was shown; what was refused says why and stays selected.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.domain.verbs import Verb
from webapp.services import approvals, screen
from webapp.web.current import desk
from webapp.web.moments import age
from webapp.web.pages import bulk
from webapp.web.pages.layout import page, zone_of
from webapp.web.pages.story import Story
from webapp.web.risk_marks import ORDINARY, Mark, in_words
from webapp.web.rows import Row

pages = Blueprint("approvals", __name__)
_DECISIONS = {verb.value: verb for verb in (Verb.APPROVE, Verb.REJECT)}
_NONE = "Select at least one first."


@dataclass(frozen=True)
class Waiting(Row):
    """A row of the queue: with its rules, and all that it would send."""

    signs: bool = False

    queued: ClassVar[bool] = True

    @property
    def age(self) -> str:
        return age(self.now - self.action.drafted_at)

    @property
    def marks(self) -> list[Mark]:
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
    picks = bulk.picks(approvals.ROWS)
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
    results = bulk.each(verb, picks, note)
    if by_script:
        return _for_script(verb, results)
    left = {one.id for one in results if not one.good}
    return Response(_page(results, left, reason if left and note else ""))


def _for_script(verb: Verb, results: list[bulk.Result]) -> Response:
    found, around = screen.rows(desk(), [one.id for one in results])
    now, render = desk().now(), bulk.rows()
    decided = [one for one in found.values() if one.state is not State.AWAITING_APPROVAL]
    return jsonify(
        message=_summary(verb, results),
        results=[
            {"id": one.id, "outcome": one.outcome, "message": one.sentence, "good": one.good}
            for one in results
        ],
        rows=[render.html(one, around, now) for one in decided],
    )


def _summary(verb: Verb, results: list[bulk.Result]) -> str:
    done = sum(one.good for one in results)
    past = "approved" if verb is Verb.APPROVE else "rejected"
    left = len(results) - done
    return f"{done} {past}." if not left else f"{done} {past}, {left} not: the rows say why."


def _page(
    results: list[bulk.Result], picked: set[str] | None = None, reason: str = "", error: str = ""
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
            pickable=True,
            picked=action.id in (picked or ()),
            answer=answers.get(action.id, ""),
            signs=signs,
        )
        for action in queue.rows
    ]
    return page(
        "approvals/page.html",
        queue=queue,
        rows=rows,
        results=bulk.named(results),
        reason=reason,
        error=error,
    )
