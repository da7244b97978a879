"""How who is signed in wants the desk: for staff and admins, each for themselves."""

from typing import Any

from flask import Blueprint, flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid
from webapp.domain.preferences import EXTENSION_SECONDS, zones
from webapp.services import preferences
from webapp.web.current import desk, person
from webapp.web.current import preferences as mine
from webapp.web.pages.layout import page
from webapp.web.problems import status_of

pages = Blueprint("preferences", __name__)

HERE = "/preferences"
TIMES = (
    (1, "As everybody"),
    (2, "Twice as long"),
    (5, "Five times as long"),
    (10, "Ten times as long"),
)


@pages.get(HERE)
def form() -> str:
    return _page(mine().model_dump(mode="json"))


@pages.post(HERE)
def save() -> AnyResponse:
    """Saves, or shows the form again with all that was entered."""
    values = _entered()
    try:
        preferences.save(desk(), person().id, values)
    except Invalid as problem:
        errors = {error.pointer.removeprefix("/"): error.detail for error in problem.errors}
        return make_response(_page(values, errors), status_of(problem))
    flash("Saved.", "good")
    return redirect(HERE, 303)


def _entered() -> dict[str, Any]:
    """What the form sent, as values; what is none of ours stays text, and is refused."""
    sent = request.form
    times = sent.get("more_time", "1")
    return {
        "zone": sent.get("zone", "").strip() or None,
        "keys": "keys" in sent,
        "density": sent.get("density", "comfortable"),
        "more_time": int(times) if times in ("1", "2", "5", "10") else times,
        "notify": "notify" in sent,
    }


def _page(values: dict[str, Any], errors: dict[str, str] | None = None) -> str:
    return page(
        "preferences/page.html",
        values=values,
        errors=errors or {},
        zones=zones(),
        desk_zone=desk().settings.timezone,
        times=TIMES,
        seconds=EXTENSION_SECONDS,
    )
