"""A form's settings, tried on what was drafted already. The answer is sent as it is worked out."""

from collections.abc import Iterator

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, Unavailable
from webapp.services.replay import Step, replay
from webapp.services.settings import tried
from webapp.web.current import desk
from webapp.web.pages.admin import pages
from webapp.web.pages.kind_page import saved, try_page
from webapp.web.pages.settings import entered, refused


@pages.post("/<kind>/replay")
def try_on_history(kind: str) -> AnyResponse:
    """The form with what was entered, and beside it what that would have made of the past."""
    saved(kind)
    values, seen = entered(), request.form.get("seen")
    try:
        policy = tried(desk(), kind, values)
    except Invalid as problem:
        return refused(kind, problem, values, seen)
    return try_page(kind, values, seen, _steps(replay(desk(), kind, policy)))


def _steps(found: Iterator[Step]) -> Iterator[Step | str]:
    """The steps; or why they end early, in words: the page is half sent by then."""
    try:
        yield from found
    except Unavailable as problem:
        yield problem.detail
