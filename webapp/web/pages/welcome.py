"""A link by which somebody sets their password. Looking at it changes nothing."""

from flask import Blueprint, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid
from webapp.services import people
from webapp.services.sign_in import PASSWORD_AT_LEAST
from webapp.web.auth import remember
from webapp.web.current import desk
from webapp.web.pages.people import drop_screens
from webapp.web.problems import status_of

pages = Blueprint("welcome", __name__)


@pages.get("/welcome/<token>")
def form(token: str) -> str:
    """Whose link it is, and the form. Raises LinkOver."""
    return _page(token)


@pages.post("/welcome/<token>")
def set_password(token: str) -> AnyResponse:
    """Uses the link up and signs in. Every other session of theirs ends."""
    password = request.form.get("password", "")
    try:
        if password != request.form.get("again", ""):
            raise Invalid.field("/again", "is not the same as above")
        session, ended = people.set_password(desk(), token, password)
    except Invalid as problem:
        return make_response(_page(token, problem), status_of(problem))
    drop_screens(ended)
    response = make_response(redirect("/", 303))
    remember(response, session)
    return response


def _page(token: str, problem: Invalid | None = None) -> str:
    errors = problem.errors if problem else ()
    return render_template(
        "welcome.html",
        whose=people.invited(desk(), token),
        errors={error.pointer.removeprefix("/"): error.detail for error in errors},
        least=PASSWORD_AT_LEAST,
    )
