"""Programs that may draft: their tokens, shown once, and what they may do."""

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.services import admin_log, agents
from webapp.store.admin_log import Area
from webapp.store.agents import SCOPES
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.problems import status_of

_HERE = "/settings/agents"
_MEANS = {
    "draft": "draft actions",
    "read": "read its own",
    "cancel": "cancel its own",
    "signal": "say that the world changed",
}


@pages.get("/agents")
def programs() -> str:
    return _page()


@pages.post("/agents")
def add() -> AnyResponse:
    """Adds one and shows its token this once."""
    name, scopes = request.form.get("name", "").strip(), request.form.getlist("scopes")
    try:
        token = agents.add(desk(), name, ",".join(scopes), caller().actor)
    except Invalid as problem:
        errors = {error.pointer.removeprefix("/"): error.detail for error in problem.errors}
        html = _page(name=name, scopes=scopes, errors=errors)
        return make_response(html, status_of(problem))
    return make_response(_page(token=(name, token)))


@pages.post("/agents/rotate")
def rotate() -> AnyResponse:
    """Another token, shown this once; the old one is over at once."""
    name, seen = _name(), request.form.get("seen", "")
    try:
        if not (seen.isascii() and seen.isdigit() and len(seen) < 19):
            raise Changed("This form is not of this page: load it again.")
        token = agents.rotate(desk(), name, int(seen), caller().actor)
    except (NotFound, Changed) as problem:
        return make_response(_page(problem=problem.detail), status_of(problem))
    return make_response(_page(token=(name, token)))


@pages.post("/agents/revoke")
def revoke() -> AnyResponse:
    """Ends a token for good."""
    try:
        agents.revoke(desk(), _name(), caller().actor)
    except NotFound as problem:
        return make_response(_page(problem=problem.detail), status_of(problem))
    flash(f"{_name()} is revoked: its token opens nothing any more.", "good")
    return redirect(_HERE, 303)


@pages.post("/agents/scopes")
def rescope() -> AnyResponse:
    """What it may do from now on."""
    try:
        agents.rescope(desk(), _name(), request.form.getlist("scopes"), caller().actor)
    except (Invalid, NotFound) as problem:
        words = f"Scopes {problem.errors[0].detail}" if problem.errors else problem.detail
        return make_response(_page(problem=words), status_of(problem))
    flash(f"Saved what {_name()} may do.", "good")
    return redirect(_HERE, 303)


def _name() -> str:
    return request.form.get("name", "")


def _page(
    *,
    token: tuple[str, str] | None = None,
    name: str = "",
    scopes: list[str] | None = None,
    errors: dict[str, str] | None = None,
    problem: str | None = None,
) -> str:
    return settings_page(
        "settings/agents.html",
        _HERE,
        agents=agents.everyone(desk()),
        all_scopes=[(scope, _MEANS[scope]) for scope in SCOPES],
        token=token,
        name=name,
        scopes=list(SCOPES) if scopes is None else scopes,
        errors=errors or {},
        problem=problem,
        log=admin_log.latest(desk(), Area.AGENTS),
        names=called(),
    )
