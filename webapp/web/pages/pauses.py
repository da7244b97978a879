"""Pausing and resuming everything from the bar."""

import json

from flask import Blueprint, current_app, flash, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, NotFound
from webapp.services import pause as pausing
from webapp.web.auth import local_path
from webapp.web.current import caller, desk
from webapp.web.pages.layout import standing
from webapp.web.socket import EXTENSION as BROADCASTER

pages = Blueprint("pauses", __name__)
_ROLES = ("staff", "admin")


@pages.post("/pause")
def pause() -> AnyResponse:
    """No claims from now on. A reason is needed."""
    try:
        pausing.pause(desk(), caller(), reason=request.form.get("reason", ""))
    except Invalid as problem:
        flash(f"Nothing is paused: the reason {problem.errors[0].detail}", "bad")
    _tell_screens()
    return _back()


@pages.post("/pause/<int:pause_id>/end")
def end(pause_id: int) -> AnyResponse:
    """One pause is over; what fell due under it gets a grace, so that people can look first."""
    try:
        pausing.unpause(desk(), caller(), pause_id)
    except NotFound:
        flash("Somebody has resumed already.", "info")
    _tell_screens()
    return _back()


@pages.get("/feed/pauses")
def banner() -> str:
    """The pauses that stand, as a fragment without a form token."""
    return _fragment()


def _tell_screens() -> None:
    """At once where this process serves them; others ask now and then."""
    broadcaster = current_app.extensions.get(BROADCASTER)
    if broadcaster is not None:
        frame = json.dumps({"type": "pauses", "html": _fragment()}, ensure_ascii=False)
        broadcaster.publish(dict.fromkeys(_ROLES, frame))


def _fragment() -> str:
    return render_template("parts/paused.html", pauses=standing(), csrf=None)


def _back() -> AnyResponse:
    """To the page that the form stood on."""
    referrer = request.referrer or ""
    path = referrer.removeprefix(request.host_url.rstrip("/"))
    return redirect(local_path(path), 303)
