"""Flagged customers: the list, and the two forms that change it."""

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.services import admin_log, ahead, customers
from webapp.services.ahead import Sum
from webapp.store.admin_log import Area
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.problems import status_of

_HERE = "/settings/customers"
_DECISIONS = ("hold", "leave")
"""What may be said about actions that are scheduled when their customer is flagged."""


@pages.get("/customers")
def flagged() -> str:
    return _page({})


@pages.post("/customers")
def flag() -> AnyResponse | str:
    """Flags one; again replaces the reason. Asks first what is to become of what is scheduled."""
    ref = request.form.get("ref", "").strip()
    reason = request.form.get("reason", "").strip()
    said = {"ref": ref, "reason": reason}
    decided = request.form.get("scheduled")
    found = ahead.for_customer(desk(), ref)
    if found.scheduled and decided not in _DECISIONS:
        return _page(said, asking=found)
    try:
        hold = decided == "hold"
        held = customers.flag(desk(), ref, reason, caller().actor, hold_scheduled=hold)
    except Invalid as problem:
        errors = {error.pointer.removeprefix("/"): error.detail for error in problem.errors}
        return make_response(_page(said, errors), status_of(problem))
    flash(f"Flagged {ref}.", "good")
    if hold:
        flash(_held(len(held)), "info")
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


def _held(count: int) -> str:
    if not count:
        return "Nothing is held: it was not scheduled any more."
    return f"Held: {count}. On the feed they can be released or cancelled."


def _page(
    values: dict[str, str], errors: dict[str, str] | None = None, *, asking: Sum | None = None
) -> str:
    return settings_page(
        "settings/customers.html",
        _HERE,
        flags=customers.flags(desk()),
        log=admin_log.latest(desk(), Area.CUSTOMERS),
        names=called(),
        values=values,
        errors=errors or {},
        asking=asking,
        kinds=KINDS,
    )
