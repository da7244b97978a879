"""One action's page, and its buttons: a form post for everybody, JSON for the page's script."""

from flask import Blueprint, Response, current_app, flash, jsonify, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Changed, DeskError, Invalid, NotFound, Unavailable
from webapp.domain.verbs import Verb
from webapp.services import read, screen
from webapp.services.case import case
from webapp.web.api.body import idempotency_key
from webapp.web.auth import local_path
from webapp.web.current import caller, desk
from webapp.web.pages.customer_link import link_to
from webapp.web.pages.layout import page
from webapp.web.pages.outcomes import Asked, Outcome, press
from webapp.web.pages.rendered import Rows
from webapp.web.pages.story import Story
from webapp.web.pages.told import Told
from webapp.web.problems import problem_json, status_of

pages = Blueprint("action", __name__)
_VERBS = frozenset(verb.value for verb in Verb)


@pages.get("/actions/<action_id>")
def show(action_id: str) -> str:
    """Facts, what it sends, why it was decided so, and all that happened to it."""
    found = case(desk(), action_id, caller())
    row = _rows().row(found.action, found.around, desk().now())
    signs = desk().settings.webhook_secret is not None
    stopped = read.stopped_with(desk(), [row.action]).get(action_id, ())
    return page(
        "actions/detail.html",
        row=row,
        story=Story(row, found.events, signs, stopped),
        told=Told(row, found.events, found.looks, desk().settings.base_url),
        link=link_to(row.action),
        cursor=screen.latest(desk()),
    )


@pages.post("/actions/<action_id>/<verb>")
def do(action_id: str, verb: str) -> AnyResponse:
    """Press a button. Scripts get `{outcome, message, html}`, forms the page they came from."""
    by_script = request.accept_mimetypes.best == "application/json"
    try:
        if verb not in _VERBS:
            raise NotFound(f"There is no such button: {verb[:40]}")
        outcome = press(Verb(verb), desk(), caller(), _asked(action_id))
    except (NotFound, Unavailable) as refused:
        if not by_script:
            raise
        return jsonify(problem_json(refused)), status_of(refused)  # type: ignore[return-value]
    except DeskError as refused:
        outcome = Outcome(refused.code, refusal(refused), "bad")
    return _for_script(action_id, outcome) if by_script else _for_form(action_id, outcome)


def _asked(action_id: str) -> Asked:
    version = request.args.get("version", request.form.get("version"))
    if version is not None and not (version.isascii() and version.isdecimal()):
        raise Invalid.field("/version", "a whole number is needed")
    note = request.form.get(f"note-{action_id}", request.form.get("note", ""))
    return Asked(
        action_id,
        None if version is None else int(version[:9]),
        note.replace("\r\n", "\n").strip(),
        idempotency_key(),
        request.args,
    )


def refusal(refused: DeskError) -> str:
    """What a button says that was refused."""
    if isinstance(refused, Changed):
        return "It changed since you saw it: look again, then decide."
    if isinstance(refused, Invalid) and refused.errors[0].pointer in ("/reason", "/note"):
        return f"The text {refused.errors[0].detail}."
    return refused.detail


def _for_script(action_id: str, outcome: Outcome) -> Response:
    ids = [action_id, *([outcome.created.id] if outcome.created else [])]
    found, around = screen.rows(desk(), ids)
    render, now = _rows(), desk().now()
    return jsonify(
        outcome=outcome.word,
        message=outcome.sentence,
        tone=outcome.tone,
        rows=[render.html(found[one], around, now) for one in ids if one in found],
    )


def _for_form(action_id: str, outcome: Outcome) -> AnyResponse:
    found, around = screen.rows(desk(), [action_id])
    if action_id in found:
        what = _rows().row(found[action_id], around, 0).what
        flash(f"{what[:1].upper()}{what[1:]}: {outcome.sentence}", outcome.tone)
    origin = request.host_url.rstrip("/")
    referrer = request.referrer or ""
    came_from = referrer.removeprefix(origin) if referrer.startswith(f"{origin}/") else None
    return redirect(local_path(came_from), 303)


def _rows() -> Rows:
    return Rows(current_app._get_current_object())  # type: ignore[attr-defined]
