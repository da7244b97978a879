"""Signing in and out."""

from flask import Blueprint, g, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import TooManyAttempts
from webapp.services import sign_in
from webapp.services.sign_in import SignInFailed
from webapp.web.auth import COOKIE, forget, local_path, remember, signed_in
from webapp.web.current import desk
from webapp.web.problems import status_of

pages = Blueprint("sign_in", __name__)


@pages.get("/login")
def form() -> AnyResponse | str:
    wanted = local_path(request.args.get("next"))
    if signed_in(request) is not None:
        return redirect(wanted, 303)
    return render_template("sign_in.html", next=wanted, email="", problem=None)


@pages.post("/login")
def enter() -> AnyResponse:
    """A session for a right password; else the form again, with what was wrong."""
    email = request.form.get("email", "").strip()
    password = request.form.get("password", "")
    wanted = local_path(request.form.get("next"))
    try:
        token = sign_in.sign_in(
            desk(), email=email, password=password, host=request.remote_addr or ""
        )
    except (SignInFailed, TooManyAttempts) as problem:
        html = render_template("sign_in.html", next=wanted, email=email, problem=problem.detail)
        return make_response(html, status_of(problem))
    response = make_response(redirect(wanted, 303))
    remember(response, token)
    return response


@pages.post("/logout")
def leave() -> AnyResponse:
    """Ends the session for good, and with it its screens."""
    sign_in.sign_out(desk(), request.cookies.get(COOKIE, ""))
    g.pop("person", None)
    response = make_response(redirect("/login", 303))
    forget(response)
    return response
