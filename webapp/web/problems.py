"""The one table from what can be refused to HTTP: RFC 9457 for programs, a page for people."""

import logging
import re
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, current_app, g, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain import errors
from webapp.domain.errors import DeskError, FieldError
from webapp.services.sign_in import SignInFailed
from webapp.web.routes import Answer

_log = logging.getLogger(__name__)


class NoSignIn(DeskError):
    """Sign in, or send a token."""

    code = "unauthorized"


class TokenUnknown(NoSignIn):
    """The token is not valid."""


class TooLarge(DeskError):
    """The body is too large."""

    code = "too_large"


class NotJson(DeskError):
    """The body must be JSON."""

    code = "unsupported_media_type"


class Stale(DeskError):
    """The form's token is missing or too old."""

    code = "csrf"


STATUS: dict[type[DeskError], HTTPStatus] = {
    errors.Invalid: HTTPStatus.BAD_REQUEST,
    NoSignIn: HTTPStatus.UNAUTHORIZED,
    SignInFailed: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    Stale: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.OutOfStock: HTTPStatus.CONFLICT,
    errors.DependencyNotLive: HTTPStatus.CONFLICT,
    errors.WrongState: HTTPStatus.CONFLICT,
    errors.LimitReached: HTTPStatus.CONFLICT,
    errors.Changed: HTTPStatus.CONFLICT,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    NotJson: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.KeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.TooManyAttempts: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""A subclass has the status of its nearest ancestor here."""

RETRY_AFTER = {HTTPStatus.SERVICE_UNAVAILABLE: "1", HTTPStatus.TOO_MANY_REQUESTS: "60"}
"""Seconds."""

_CODES = {
    400: "invalid",
    404: "not_found",
    413: TooLarge.code,
    500: "internal",
    503: errors.Unavailable.code,
}
_WORDS = {
    404: ("There is nothing here", "The address may be mistyped, or what stood here is gone."),
    405: (
        "This can't be done here",
        "The address is right, but does not take this kind of request.",
    ),
    413: ("This is too large", "At most 1 MiB is read."),
}
"""Title and detail in our words; what is not here has the framework's."""
_FOR_PROGRAMS = re.compile(r"/(api/|feed/|healthz|readyz|metrics)")


def init_problems(app: Flask) -> None:
    """Nothing leaves the application but an answer of this table."""
    app.register_error_handler(DeskError, _refused)
    app.register_error_handler(CSRFError, _stale)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def status_of(error: DeskError) -> HTTPStatus:
    """The HTTP status of a refusal."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem_json(error: DeskError) -> dict[str, Any]:
    """A refusal as RFC 9457 has it."""
    return _body(status_of(error), error.code, error.title, error.detail, error.errors)


def answer(
    status: int, code: str, title: str, detail: str, found: tuple[FieldError, ...] = ()
) -> Response:
    """An error as a problem or a page, whichever the route answers with."""
    if _for_programs():
        body = _body(status, code, title, detail, found)
        response = Response(
            current_app.json.dumps(body), status, mimetype="application/problem+json"
        )
    else:
        response = _page(status, title, detail)
    if status in RETRY_AFTER:
        response.headers["Retry-After"] = RETRY_AFTER[HTTPStatus(status)]
    return response


def _body(
    status: int, code: str, title: str, detail: str, found: tuple[FieldError, ...]
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": f"/api/docs#{code}",
        "title": title,
        "status": int(status),
        "detail": detail,
        "code": code,
    }
    if found:
        body["errors"] = [{"pointer": one.pointer, "detail": one.detail} for one in found]
    return body


def _page(status: int, title: str, detail: str) -> Response:
    try:
        page = render_template("error.html", status=status, title=title, detail=detail)
    except Exception:  # noqa: BLE001 - what broke the page, the database say, may break this one
        _log.exception("the error page failed")
        return Response(f"{title}\n{detail}\n", status, mimetype="text/plain")
    return Response(page, status)


def _for_programs() -> bool:
    route = g.get("route")
    if route is not None:
        return route.answer is not Answer.PAGE
    return _FOR_PROGRAMS.match(request.path) is not None


def _refused(error: DeskError) -> Response:
    response = answer(status_of(error), error.code, error.title, error.detail, error.errors)
    if isinstance(error, NoSignIn):
        known = ', error="invalid_token"' if isinstance(error, TokenUnknown) else ""
        response.headers["WWW-Authenticate"] = f'Bearer realm="undo-desk"{known}'
    if isinstance(error, errors.Unavailable):
        _log.warning("unavailable: %s", error.detail)
    return response


def _stale(error: CSRFError) -> Response:
    return _refused(Stale(f"{error.description} Load the page again, then repeat it."))


def _http(error: HTTPException) -> AnyResponse:
    if error.response is not None or isinstance(error, RoutingException):
        return error.get_response()
    status = HTTPStatus(error.code or 500)
    code = _CODES.get(status, status.name.lower())
    usual = (status.phrase, error.description or status.description)
    response = answer(status, code, *_WORDS.get(status, usual))
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _unexpected(error: Exception) -> Response:
    _log.exception("%s %s failed", request.method, request.path, exc_info=error)
    return answer(
        500, "internal", "Something went wrong here", "It was logged; nothing more is known."
    )
