"""The customer's status page: for whoever has the link, and for nobody else's caches or logs."""

from flask import Blueprint, Response, make_response, render_template, request
from werkzeug.routing import BaseConverter

from webapp.domain.errors import DeskError, NotFound
from webapp.services import status
from webapp.web.current import desk
from webapp.web.pages.status_words import tell
from webapp.web.problems import status_of


class Anything(BaseConverter):
    """All that may follow, slashes and line breaks too: one page answers every link."""

    regex = r"(?s:.*)"
    part_isolating = False


pages = Blueprint("status", __name__)
pages.record_once(lambda state: state.app.url_map.converters.update(anything=Anything))


@pages.get("/s/<anything:token>")
def page(token: str) -> str:
    """The words for one action; the same page is asked for again while they may change."""
    found = status.by_token(desk(), token)
    if found is None:
        raise NotFound("There is no such page.")
    told = tell(found, desk().now(), desk().settings.timezone)
    follows = told.again is not None and request.args.get("refresh") != "off"
    return render_template("status/page.html", told=told, follows=follows, path=request.path)


@pages.errorhandler(DeskError)
def refused(error: DeskError) -> Response:
    """One page for every link that is not valid, whatever is wrong with it."""
    missing = isinstance(error, NotFound)
    html = render_template("status/missing.html" if missing else "status/trouble.html")
    return make_response(html, status_of(error))


@pages.after_request
def keep_private(response: Response) -> Response:
    """The address is the key: no cache keeps it, no other host and no search engine hears it."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response
