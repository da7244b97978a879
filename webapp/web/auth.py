"""Who asks: an agent by its token, a person by the session cookie; and whether they may.

Sessions live in the database and the cookie is opaque, so that signing out ends one for good.
Flask's own signed cookie holds the CSRF secret and nothing else.
"""

import re
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Request, Response, current_app, g, redirect, request, session
from flask_wtf.csrf import CSRFProtect
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Forbidden, Invalid, NotFound, Unavailable
from webapp.domain.text import unstorable
from webapp.domain.times import SECOND
from webapp.services import agents, sign_in
from webapp.services.caller import Caller
from webapp.store.people import SESSION_LASTS, Person, session_id
from webapp.web.current import desk
from webapp.web.problems import NoSignIn, TokenUnknown
from webapp.web.routes import SAFE, Answer, Route, Who, route_of
from webapp.web.socket import EXTENSION as BROADCASTER
from webapp.web.socket import Viewer

COOKIE = "ud_session"

_csrf = CSRFProtect()
_ACTION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LOCAL = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


def init_auth(app: Flask) -> None:
    """Enforces the route table before every request."""
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_TIME_LIMIT=None)
    _csrf.init_app(app)
    app.before_request(_guard)
    app.context_processor(lambda: {"person": g.get("person")})


def _guard() -> AnyResponse | None:
    if request.url_rule is None:
        g.person = _of_no_route()
        return None  # 404 or 405, said next
    route = route_of(request.method, request.url_rule.rule)
    if route is None:
        raise Forbidden("This route stands in no table.")
    g.route = route
    if route.answer is Answer.SOCKET:
        return None
    closed = route.who is not Who.ANYBODY
    by_token = closed and _by_token(route)
    if closed and not by_token and not _by_session(route):
        return _to_sign_in()
    if route.csrf and not by_token:
        _csrf.protect()
    _check_values(route, request.view_args or {})
    return None


def _check_values(route: Route, path: dict[str, Any]) -> None:
    """No database is asked for a text that it cannot hold. Raises NotFound and Invalid."""
    action_id = path.get("action_id")
    if action_id is not None and not _ACTION_ID.fullmatch(action_id):
        raise NotFound("There is no such action here.")
    if any(unstorable(dict(path))):
        raise NotFound("There is no such thing here.")
    if route.answer is Answer.JSON:
        return  # these read bodies and queries by a model, which looks for itself
    for at in unstorable({**request.args, **request.form}):
        raise Invalid.field(at, "has characters that cannot be stored (NUL)")


def _by_token(route: Route) -> bool:
    """Whether an agent asks, and may. Raises TokenUnknown and Forbidden."""
    given = request.headers.get("Authorization")
    if given is None or route.answer is Answer.PAGE:
        return False
    scheme, _, token = given.partition(" ")
    if scheme.lower() != "bearer":
        raise TokenUnknown("Authorization must be: Bearer ud_…")
    found = agents.by_token(desk(), token.strip())
    if found is None:
        raise TokenUnknown("This token is not known, or was revoked.")
    if route.scope is None:
        raise Forbidden("This is for staff: an agent may not do it.")
    if route.scope not in found.scopes:
        raise Forbidden(f"The token lacks the scope {route.scope}.")
    g.agent, g.caller = found, Caller.agent(found)
    return True


def _by_session(route: Route) -> bool:
    """Whether somebody is signed in, and may; False for a page that nobody is signed in to."""
    who = signed_in(request)
    if who is None:
        if route.answer is Answer.PAGE:
            return False
        raise NoSignIn("Send a token (Authorization: Bearer ud_…) or sign in.")
    g.person, g.caller = who, Caller.person(who)
    if route.who is Who.NO_PERSON:
        raise Forbidden("Only agents do this, with a token.")
    if route.who is Who.ADMIN and who.role != "admin":
        raise Forbidden("This is for admins.")
    return True


def signed_in(asked: Request) -> Person | None:
    """Whose session the cookie names, while it lasts."""
    token = asked.cookies.get(COOKIE)
    return sign_in.who(desk(), token) if token else None


def _of_no_route() -> Person | None:
    """Who keeps the bar on a page that says so; nobody on a customer's."""
    if request.path.startswith("/s/"):
        return None
    try:
        return signed_in(request)
    except Unavailable:
        return None


def viewer(asked: Request) -> Viewer | None:
    """The same for the feed's socket."""
    who = signed_in(asked)
    if who is None:
        return None
    return Viewer(session_id(asked.cookies[COOKIE]), who.role, who.name)


def remember(response: Response, token: str) -> None:
    """Signs the browser in with a session's token, under a new CSRF secret."""
    session.clear()
    response.set_cookie(
        COOKIE,
        token,
        max_age=SESSION_LASTS // SECOND,
        httponly=True,
        samesite="Lax",
        secure=current_app.config["SESSION_COOKIE_SECURE"] or request.is_secure,
    )


def forget(response: Response) -> None:
    """Takes the cookie back and cuts the session's screens; `sign_in.sign_out` ends the session."""
    token = request.cookies.get(COOKIE)
    session.clear()
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax")
    if token and BROADCASTER in current_app.extensions:
        current_app.extensions[BROADCASTER].drop(session_id(token))


def local_path(wanted: str | None) -> str:
    """`wanted` if it is a path on this desk, else `/`: signing in leads nowhere else."""
    return wanted if wanted and _LOCAL.fullmatch(wanted) else "/"


def _to_sign_in() -> AnyResponse:
    # what a form would have done is not repeated after signing in: GET never changes state
    wanted = request.full_path.rstrip("?") if request.method in SAFE else "/"
    query = f"?{urlencode({'next': wanted})}" if wanted != "/" else ""
    return redirect(f"/login{query}", 303)
