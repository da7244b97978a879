"""The customer's link on an action's page: how long it works, and how it is taken back."""

from dataclasses import dataclass

from flask import Blueprint, flash, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.action import Action
from webapp.domain.errors import Invalid
from webapp.services import link, status
from webapp.web.current import caller, desk

pages = Blueprint("customer_link", __name__)


@dataclass(frozen=True, slots=True)
class Link:
    """`ends_at` None: the action is open, and the link works for `days` after it is not."""

    url: str
    ends_at: int | None
    days: int
    over: bool


def link_to(action: Action) -> Link:
    """The link that works now, or worked last."""
    settings = desk().settings
    ends = status.ends_at(settings, action)
    return Link(
        status.url(settings, action.id, action.link),
        ends,
        settings.status_link_days,
        ends is not None and ends <= desk().now(),
    )


@pages.post("/actions/<action_id>/link")
def renew(action_id: str) -> AnyResponse:
    """Take back the link that the page showed; then it shows a new one."""
    seen = request.form.get("link", "")
    if not (seen.isascii() and seen.isdecimal()):
        raise Invalid.field("/link", "a whole number is needed")
    if link.renew(desk(), action_id, caller(), int(seen[:9])):
        flash("The link that the customer had leads nowhere now. The new one stands below.", "good")
    else:
        flash("Somebody had taken that link back already: the one below is newer.", "bad")
    return redirect(f"/actions/{action_id}", 303)
