"""The customer's status page: for whoever has the link, and for nobody else's caches or logs."""

from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.blueprints import BlueprintSetupState
from werkzeug.routing import BaseConverter
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import DeskError, NotFound
from webapp.services import objection, status
from webapp.services.status import Status
from webapp.web import languages
from webapp.web.current import desk
from webapp.web.languages import Language
from webapp.web.pages.status_words import tell
from webapp.web.problems import status_of

CATALOGS = "undo-desk-catalogs"
"""Where `app.extensions` keeps the languages."""


class Anything(BaseConverter):
    """All that may follow, slashes and line breaks too: one page answers every link."""

    regex = r"(?s:.*)"
    part_isolating = False


pages = Blueprint("status", __name__)


@pages.record_once
def prepare(state: BlueprintSetupState) -> None:
    """Raises ValueError for a catalog that can't be used: no customer is to find that out."""
    state.app.url_map.converters.update(anything=Anything)
    state.app.extensions[CATALOGS] = languages.read()


@pages.get("/s/<anything:token>")
def page(token: str) -> str:
    """The words for one action; the same page is asked for again while they may change."""
    found = _found(token)
    language = _language(found)
    told = tell(found, language, desk().now(), desk().settings.timezone)
    follows = told.again is not None and request.args.get("refresh") != "off"
    return _render("page", language, told=told, follows=follows, path=request.path)


@pages.post("/s/<anything:token>/objection")
def objected(token: str) -> AnyResponse:
    """The customer says that it isn't right; the page then says what became of that.

    No token against forged requests: whoever can write this address has the link.
    """
    objection.object_to(desk(), _found(token).action.id)
    refresh = "off" if request.args.get("refresh") == "off" else None
    return redirect(url_for("status.page", token=token, refresh=refresh), 303)


@pages.errorhandler(DeskError)
def refused(error: DeskError) -> Response:
    """One page for every link that is not valid, whatever is wrong with it."""
    missing = isinstance(error, NotFound)
    html = _render("missing" if missing else "trouble", _language())
    return make_response(html, status_of(error))


@pages.after_request
def keep_private(response: Response) -> Response:
    """The address is the key: no cache keeps it, no other host and no search engine hears it."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response.vary.add("Accept-Language")
    return response


def _found(token: str) -> Status:
    found = status.by_token(desk(), token)
    if found is None:
        raise NotFound("There is no such page.")
    return found


def _language(found: Status | None = None) -> Language:
    """The customer's as the agent gave it, else the first that the browser wishes for."""
    given = found.action.customer.get("locale") if found else None
    wished = [tag for tag, quality in request.accept_languages if quality > 0]
    return languages.choose(
        current_app.extensions[CATALOGS], [str(given) if given else None, *wished]
    )


def _render(name: str, language: Language, **values: Any) -> str:
    return render_template(f"status/{name}.html", say=language.say, language=language, **values)
