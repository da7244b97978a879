"""Pausing everything, one kind or one agent, and resuming."""

import json
from dataclasses import dataclass

from flask import Blueprint, current_app, flash, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid, NotFound
from webapp.domain.kinds.registry import KINDS
from webapp.services import agents, ahead
from webapp.services import pause as pausing
from webapp.services.ahead import Sum
from webapp.web.auth import local_path
from webapp.web.current import caller, desk
from webapp.web.pages.layout import Standing, page, standing
from webapp.web.problems import status_of
from webapp.web.socket import EXTENSION as BROADCASTER

pages = Blueprint("pauses", __name__)
_ROLES = ("staff", "admin")
_EVERYTHING = "everything"
_KINDS = [(name, kind.label) for name, kind in KINDS.items()]


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be paused: `value` as the form sends it, and what that would stop."""

    value: str
    name: str
    stops: Sum
    already: Standing | None


@dataclass(frozen=True, slots=True)
class Group:
    """Choices of one sort; `idle` are those of which nothing is scheduled or running."""

    title: str
    busy: list[Choice]
    idle: list[Choice]


@pages.get("/pause")
def choose() -> str:
    """Everything, each kind and each agent, with what a pause of it stops now."""
    return _form(_EVERYTHING, "", {})


@pages.post("/pause")
def pause() -> AnyResponse:
    """No claims of it from now on. A reason is needed."""
    what, reason = request.form.get("what", _EVERYTHING), request.form.get("reason", "").strip()
    try:
        scope = _scope(what)
        stands = _stands(what, standing())
        if stands is None:
            pausing.pause(desk(), caller(), reason=reason, **scope)
    except Invalid as problem:
        errors = {one.pointer.removeprefix("/"): one.detail for one in problem.errors}
        return make_response(_form(what, reason, errors), status_of(problem))
    if stands is not None:
        flash(f"Paused already, by {stands.by}.", "info")
    _tell_screens()
    return redirect("/", 303)


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


def _form(what: str, reason: str, errors: dict[str, str]) -> str:
    found, stand = ahead.preview(desk()), standing()

    def choice(sort: str, name: str, label: str) -> Choice:
        value = f"{sort}:{name}"
        return Choice(value, label, found.of(**{sort: name}), _stands(value, stand))

    programs = [
        choice("agent", one.name, one.name)
        for one in agents.everyone(desk())
        if one.revoked_at is None or found.of(agent=one.name).kinds
    ]
    return page(
        "pause/page.html",
        everything=Choice(_EVERYTHING, "Everything", found.of(), _stands(_EVERYTHING, stand)),
        groups=[
            _group("One kind", [choice("kind", *named) for named in _KINDS]),
            _group("One agent", programs),
        ],
        chosen=what,
        reason=reason,
        errors=errors,
        kinds=KINDS,
    )


def _group(title: str, choices: list[Choice]) -> Group:
    busy = [one for one in choices if one.stops.scheduled or one.stops.running]
    return Group(title, busy, [one for one in choices if one not in busy])


def _scope(what: str) -> dict[str, str]:
    """`kind:refund` -> `{"kind": "refund"}`. Raises Invalid for what the form has no choice of."""
    narrowed, colon, name = what.partition(":")
    if what == _EVERYTHING:
        return {}
    if not colon or narrowed not in ("kind", "agent"):
        raise Invalid.field("/what", "choose everything, a kind or an agent")
    return {narrowed: name}


def _stands(what: str, stand: list[Standing]) -> Standing | None:
    """The pause of just this, if there is one."""
    return next((one for one in stand if one.scope == what), None)


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
