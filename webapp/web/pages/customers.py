"""Flagged customers: the list, and the two forms that change it."""

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, NotFound
from webapp.services import admin_log, customers
from webapp.store.admin_log import Area
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.problems import status_of

_HERE = "/settings/customers"


@pages.get("/customers")
def flagged() -> str:
    return _page({}, None)


@pages.post("/customers")
def flag() -> AnyResponse:
    """Flags one; again replaces the reason."""
    ref = request.form.get("ref", "").strip()
    reason = request.form.get("reason", "").strip()
    try:
        customers.flag(desk(), ref, reason, caller().actor)
    except Invalid as problem:
        html = _page({"ref": ref, "reason": reason}, problem.errors[0].detail)
        return make_response(html, status_of(problem))
    flash(f"Flagged {ref}.", "good")
    return redirect(_HERE, 303)


@pages.post("/customers/unflag")
def unflag() -> AnyResponse:
    """Takes a flag away."""
    ref = request.form.get("ref", "")
    try:
        customers.unflag(desk(), ref, caller().actor)
    except NotFound as problem:
        flash(problem.detail, "info")
    else:
        flash(f"{ref} is not flagged any more.", "good")
    return redirect(_HERE, 303)


def _page(values: dict[str, str], error: str | None) -> str:
    return settings_page(
        "settings/customers.html",
        _HERE,
        flags=customers.flags(desk()),
        log=admin_log.latest(desk(), Area.CUSTOMERS),
        names=called(),
        values=values,
        error=error,
    )
