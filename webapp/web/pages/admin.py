"""The pages below /settings/ together: who may, their tabs, how they call people."""

from typing import Any

from flask import Blueprint, Response, make_response

from webapp.domain.errors import Forbidden
from webapp.services import people, read
from webapp.web.current import desk
from webapp.web.pages.layout import page, stream_page
from webapp.web.problems import status_of

pages = Blueprint("settings", __name__, url_prefix="/settings")

TABS = (
    ("Policies", "/settings/"),
    ("People", "/settings/people"),
    ("Agents", "/settings/agents"),
    ("Stock", "/settings/stock"),
    ("Flagged customers", "/settings/customers"),
    ("Pauses", "/settings/pauses"),
    ("Sandbox", "/settings/sandbox"),
)


def settings_page(template: str, here: str, **values: Any) -> str:
    """A page with the tabs; `here` is the path of the one that it stands under."""
    return page(template, tabs=TABS, here=here, **values)


def streamed(template: str, here: str, **values: Any) -> Response:
    """`settings_page`, sent part by part: what takes time stands last in it and is an iterator."""
    return Response(stream_page(template, tabs=TABS, here=here, **values), mimetype="text/html")


def called() -> dict[str, str]:
    """People's names by actor."""
    return read.names(desk())


@pages.app_template_filter("actor")
def actor(by: str, names: dict[str, str]) -> str:
    """A person's name where it is known, else what stands in the record."""
    known = names.get(by) or by.partition(":")[2]
    return known or {"command": "the command line"}.get(by, by)


@pages.errorhandler(Forbidden)
def forbidden(error: Forbidden) -> Response:
    """Says who may, so that staff know whom to ask."""
    admins = [one for one in people.everyone(desk()) if one.role == "admin" and one.may_sign_in]
    return make_response(page("settings/forbidden.html", admins=admins), status_of(error))
