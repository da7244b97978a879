"""Who may sign in, and the forms that change it."""

from flask import current_app, flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, NotFound
from webapp.services import admin_log, people
from webapp.services.people import Link
from webapp.store.admin_log import Area
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.problems import status_of
from webapp.web.socket import EXTENSION as BROADCASTER

_HERE = "/settings/people"


@pages.get("/people")
def everyone() -> str:
    return _page()


@pages.post("/people")
def invite() -> AnyResponse:
    """Adds somebody; the link by which they set a password is shown this once."""
    values = {key: request.form.get(key, "").strip() for key in ("email", "name", "role")}
    try:
        link = people.invite(
            desk(),
            email=values["email"],
            name=values["name"] or None,
            role=values["role"],
            by=caller().actor,
        )
    except Invalid as problem:
        errors = {error.pointer.removeprefix("/"): error.detail for error in problem.errors}
        return make_response(_page(values=values, errors=errors), status_of(problem))
    return make_response(_page(link=link))


@pages.post("/people/link")
def new_link() -> AnyResponse:
    """Shows a link by which somebody sets another password."""
    try:
        return make_response(_page(link=people.new_link(desk(), _person(), caller().actor)))
    except (Invalid, NotFound) as problem:
        return _refused(problem)


@pages.post("/people/role")
def change_role() -> AnyResponse:
    """Staff or admin, from their next request on."""
    role = request.form.get("role", "")
    try:
        one = people.change_role(desk(), _person(), role, caller().actor)
    except (Invalid, NotFound) as problem:
        return _refused(problem)
    flash(f"{one.name}: {role}.", "good")
    # who is no admin any more has nothing to do here
    return redirect("/" if one.email == _me() and role != "admin" else _HERE, 303)


@pages.post("/people/deactivate")
def deactivate() -> AnyResponse:
    """Ends their sessions, and their screens: here at once, elsewhere within half a minute."""
    try:
        one, ended = people.deactivate(desk(), _person(), caller().actor)
    except (Invalid, NotFound) as problem:
        return _refused(problem)
    drop_screens(ended)
    flash(f"{one.name} may not sign in any more, and is signed out everywhere.", "good")
    return redirect("/login" if one.email == _me() else _HERE, 303)


@pages.post("/people/activate")
def activate() -> AnyResponse:
    """Lets them in again."""
    try:
        one = people.activate(desk(), _person(), caller().actor)
    except NotFound as problem:
        return _refused(problem)
    flash(f"{one.name} may sign in again.", "good")
    return redirect(_HERE, 303)


def drop_screens(session_ids: list[str]) -> None:
    """Cuts the live screens of sessions that are over, where this process serves them."""
    broadcaster = current_app.extensions.get(BROADCASTER)
    if broadcaster is not None:
        for session_id in session_ids:
            broadcaster.drop(session_id)


def _person() -> int:
    """Whom the form is about. Raises NotFound."""
    text = request.form.get("person", "")
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise NotFound("There is no such person.")
    return int(text)


def _me() -> str:
    return caller().actor.partition(":")[2]


def _refused(problem: Invalid | NotFound) -> AnyResponse:
    words = problem.errors[0].detail if problem.errors else problem.detail
    return make_response(_page(problem=words), status_of(problem))


def _page(
    *,
    link: Link | None = None,
    values: dict[str, str] | None = None,
    errors: dict[str, str] | None = None,
    problem: str | None = None,
) -> str:
    return settings_page(
        "settings/people.html",
        _HERE,
        people=people.everyone(desk()),
        link=link,
        url=link and f"{desk().settings.base_url}/welcome/{link.token}",
        values=values or {"role": "staff"},
        errors=errors or {},
        problem=problem,
        log=admin_log.latest(desk(), Area.PEOPLE),
        names=called(),
    )
